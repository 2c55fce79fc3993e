// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace hogwild {

/// Parameters that every exchange covers.
inline constexpr std::size_t shortest_prefix = 512;

/// How many columns of `width` parameters each the turn-th exchange covers, counted from 1: as with the marks of a
/// ruler, a short prefix each time, twice as many at every second, four times as many at every fourth. At least 16; a
/// number above the columns that exist means all.
constexpr std::size_t ruler_prefix(std::uint64_t turn, std::size_t width = 1) {
  return std::max<std::size_t>(shortest_prefix / width, 16) << std::min(std::countr_zero(turn), 40);
}

}  // namespace hogwild
