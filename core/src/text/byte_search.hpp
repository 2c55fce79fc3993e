// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "text/decimal.hpp"

namespace hogwild::detail {

// A byte is looked for in eight at a time.

constexpr std::uint64_t every_byte(char c) {
  return 0x0101010101010101u * static_cast<unsigned char>(c);
}

/// The lowest bit that is set lies in the first byte of the word that is zero; 0 if none is. Later bits may be wrong.
constexpr std::uint64_t first_zero_byte(std::uint64_t word) {
  return (word - every_byte(1)) & ~word & every_byte('\x80');
}

/// The place, from `at` on, of the first byte for which is(byte) holds; the text's size if there is none. For fields of
/// a few bytes, faster than a function that prepares a search.
template <class Is>
constexpr std::size_t find_byte(std::string_view text, std::size_t at, const Is& is) {
  while (at < text.size() && !is(text[at])) ++at;
  return at;
}

inline std::size_t count_byte(std::string_view text, char c) {
  constexpr std::uint64_t low = every_byte('\x7f');
  constexpr std::size_t most = 8 * 255;  // sums of single bytes reach no further
  std::size_t count = 0;
  for (; text.size() >= 8; text.remove_prefix(std::min(text.size() / 8 * 8, most))) {
    std::uint64_t sums = 0;
    for (std::size_t at = 0, end = std::min(text.size() / 8 * 8, most); at < end; at += 8) {
      const std::uint64_t word = load_eight(text.data() + at) ^ every_byte(c);
      sums += ~(((word & low) + low) | word | low) >> 7;
    }
    constexpr std::uint64_t even = 0x00ff00ff00ff00ffu;
    count += ((sums & even) + (sums >> 8 & even)) * 0x0001000100010001u >> 48;
  }
  return count + static_cast<std::size_t>(std::ranges::count(text, c));
}

}  // namespace hogwild::detail
