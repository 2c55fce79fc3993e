// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <string>

namespace hogwild::detail {

/// The shortest decimal text that reads back as exactly `number`; the same in every locale.
template <class T>
std::string to_text(T number) {
  char text[64];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

}  // namespace hogwild::detail
