// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include <hogwild/detail/control/std_atomics.hpp>

namespace hogwild {

/// The last round in which a ticket was finished; 0 for never. Two workers may finish the same ticket at once: if one
/// of them was left out during its last rows, its ticket was drawn again. So
///
///     a mark never falls:
///
/// a worker that marks late, for a round that is over, must not hide that the ticket was finished in a later one. A
/// mark orders no other data.
template <class Atomics = std_atomics>
struct basic_done_mark {
  typename Atomics::template atomic<std::uint32_t> round;

  std::uint32_t get() const noexcept { return round.load(std::memory_order_relaxed); }
  /// Called by any worker at any time. Changes nothing if the ticket was finished in a later round.
  void raise_to(std::uint32_t number) noexcept {
    std::uint32_t seen = round.load(std::memory_order_relaxed);
    while (seen < number && !round.compare_exchange_weak(seen, number, std::memory_order_relaxed)) {
    }
  }
};

using done_mark = basic_done_mark<>;
static_assert(sizeof(done_mark) == 4);

}  // namespace hogwild
