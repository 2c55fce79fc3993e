// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <hogwild/sharing/ruler.hpp>

namespace hogwild::detail {

/// When a thread exchanges, and how many of the ranks. The exchanges of sharing/replica.hpp are timed in rows of a
/// round that is planned; here threads come and go and the number of ranks grows, so that time is counted in the
/// entries that were trained on.
class exchange_ruler {
 public:
  /// Entries for each parameter exchanged: one costs about as much as the other, so that exchanges are an eighth of the
  /// work.
  static constexpr std::size_t entries_per_parameter = 8;

  /// Entries between two exchanges.
  static constexpr std::size_t period(std::size_t ranks) {
    // Half of all exchanges are the shortest, and each further length has the same share of the parameters.
    const auto lengths =
        static_cast<std::size_t>(std::bit_width((std::max<std::size_t>(ranks, 1) - 1) / shortest_prefix));
    return entries_per_parameter * shortest_prefix * (2 + lengths) / 2;
  }

  /// How many of the ranks the next exchange covers.
  std::size_t next(std::size_t ranks) { return std::min(ranks, ruler_prefix(++turn_)); }

 private:
  std::uint64_t turn_ = 0;
};

}  // namespace hogwild::detail
