// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace hogwild::detail {

/// A token as it stands in a message: short, and without bytes that a terminal would act on.
inline std::string quoted(const char* first, const char* last) {
  constexpr std::ptrdiff_t longest = 40;
  std::string text = "'";
  for (const char* p = first; p != last && p - first < longest; ++p) text += *p >= ' ' && *p <= '~' ? *p : '?';
  return text + (last - first > longest ? "...'" : "'");
}

}  // namespace hogwild::detail
