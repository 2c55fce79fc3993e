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

/// At most six significant digits, as people write numbers; the same in every locale.
inline std::string to_short_text(double number) {
  char text[64];
  return {text, std::to_chars(text, text + sizeof text, number, std::chars_format::general, 6).ptr};
}

}  // namespace hogwild::detail
