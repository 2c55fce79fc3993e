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

}  // namespace hogwild
