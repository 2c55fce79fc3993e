// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <hogwild/detail/control/std_atomics.hpp>

namespace hogwild {

/// Deals out the tickets of one shard. The upper half of the word names the round. Alone on its pair of cache lines.
/// Under every schedule:
///
///     a ticket is dealt once a round;
///     tickets are dealt in their order, and none is left out;
///     no worker draws from a round that it has not read, even if it slept through a gate.
template <class Atomics = std_atomics>
struct alignas(128) basic_ticket_counter {
  typename Atomics::template atomic<std::uint64_t> word;

  /// Called by the coordinator, while the gate is closed.
  void open(std::uint32_t round, std::size_t first) noexcept {
    word.store((std::uint64_t{round} << 32) | static_cast<std::uint32_t>(first), std::memory_order_relaxed);
  }

  /// The ticket that would be drawn next; called by the coordinator, while the gate is closed.
  std::size_t next() const noexcept { return static_cast<std::uint32_t>(word.load(std::memory_order_relaxed)); }

  /// The number of tickets below `last` that are left; 0 if another round has begun.
  std::size_t left(std::uint32_t round, std::size_t last) const noexcept {
    const std::uint64_t seen = word.load(std::memory_order_relaxed);
    const std::size_t next = static_cast<std::uint32_t>(seen);
    return (seen >> 32) == round && next < last ? last - next : 0;
  }

  /// The next ticket below `last`; nothing if all are dealt out or another round has begun. A draw happens once in
  /// thousands of additions, so the cost of compare-and-swap does not matter.
  std::optional<std::size_t> draw(std::uint32_t round, std::size_t last) noexcept {
    std::uint64_t seen = word.load(std::memory_order_relaxed);
    while ((seen >> 32) == round && static_cast<std::uint32_t>(seen) < last) {
      if (word.compare_exchange_weak(seen, seen + 1, std::memory_order_relaxed)) {
        return static_cast<std::uint32_t>(seen);
      }
    }
    return std::nullopt;
  }
};

using ticket_counter = basic_ticket_counter<>;

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
