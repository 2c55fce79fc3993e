// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hogwild::detail {

/// A token as it stands in a message: short, and without bytes that a terminal would act on.
inline std::string quoted(std::string_view token) {
  constexpr std::size_t longest = 40;
  std::string text = "'";
  for (const char c : token.substr(0, longest)) text += c >= ' ' && c <= '~' ? c : '?';
  return text + (token.size() > longest ? "...'" : "'");
}
inline std::string quoted(const char* first, const char* last) {
  return quoted(std::string_view(first, static_cast<std::size_t>(last - first)));
}

}  // namespace hogwild::detail
