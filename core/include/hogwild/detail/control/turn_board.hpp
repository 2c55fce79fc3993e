// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <hogwild/detail/control/std_atomics.hpp>

namespace hogwild {

/// Coordinates the workers of a reproducible round. The round is a sequence of phases. A phase is a few items (virtual
/// workers to train, slices to merge), each claimed by one worker, and it ends when the last item is finished, not when
/// all workers have come by. So it does not matter how many workers there are, whether a library grants the threads
/// that it was asked for, or in which order they come: the workers that are there do what is left. A zeroed board is
/// unused.
///
/// A worker that dies with an item would keep its phase from ending, so the coordinator breaks the round off, and all
/// workers leave. If a round did not complete, every worker that was left out of it must be dead before the coordinator
/// opens another round: with an item in hand it would finish what others have begun anew. Under every schedule:
///
///     an item is claimed by one worker;
///     a phase begins when all items of the one before are finished;
///     what was written before finish() is visible to workers that claim an item of the next phase;
///     a round is complete if all its phases are, and not if it was broken off before;
///     a worker that was left out of a complete round takes no item of a later one;
///     no wake-up is lost: timeouts are needed only for dead workers.
template <class Atomics = std_atomics>
struct basic_turn_board {
  template <class T>
  using atomic = typename Atomics::template atomic<T>;

  static constexpr std::size_t most_items = 32;        ///< of a phase
  static constexpr std::uint32_t broken = 1u << 31;    ///< in `phase`
  static constexpr std::uint32_t phases = broken - 1;  ///< mask: phase numbers wrap around over the whole run

  alignas(128) atomic<std::uint32_t> phase;   ///< the open phase; workers sleep on it
  atomic<std::uint32_t> turns;                ///< turns of the round; lowered if the run is asked to stop
  atomic<std::uint32_t> sleepers;             ///< workers that may have to be woken; dead ones stay counted
  alignas(128) atomic<std::uint64_t> claims;  ///< the phase, and a bit for each claimed item
  alignas(128) atomic<std::uint32_t> finished;

  /// Called by the coordinator, while the gate is closed: opens a round of this many turns. Returns its first phase.
  std::uint32_t open(std::uint32_t of_turns) noexcept {
    const std::uint32_t first = (phase.load(std::memory_order_relaxed) + 1) & phases;
    // The order matters: a worker that slept through the end of the previous round may find turns left, because this
    // one has more, but it must find nothing to claim.
    begin(first);
    turns.store(of_turns, std::memory_order_release);
    phase.store(first, std::memory_order_release);
    return first;
  }

  /// Claims one of the phase's `items` that nobody has claimed, the first at or after `preferred` if there is one.
  /// Returns nothing if all are claimed or another phase has begun.
  std::optional<std::size_t> claim(std::uint32_t in, std::size_t items, std::size_t preferred) noexcept {
    const std::uint32_t all = static_cast<std::uint32_t>((std::uint64_t{1} << items) - 1);
    std::uint64_t seen = claims.load(std::memory_order_acquire);
    while ((seen >> 32) == in) {
      const std::uint32_t free = all & ~static_cast<std::uint32_t>(seen);
      if (free == 0) return std::nullopt;
      const std::uint32_t beyond = free >> preferred << preferred;
      const int i = std::countr_zero(beyond != 0 ? beyond : free);
      if (claims.compare_exchange_weak(seen, seen | (std::uint64_t{1} << i), std::memory_order_acq_rel)) {
        return static_cast<std::size_t>(i);
      }
    }
    return std::nullopt;
  }

  /// Marks one of the phase's `items` as done. True for the last one: its worker sees what the others wrote, and must
  /// call advance().
  bool finish(std::size_t items) noexcept { return finished.fetch_add(1, std::memory_order_acq_rel) + 1 == items; }

  /// Opens the phase `to` after `from`, unless the round was broken off.
  void advance(std::uint32_t from, std::uint32_t to) noexcept {
    begin(to & phases);
    if (phase.compare_exchange_strong(from, to & phases) && sleepers.load() > 0) Atomics::wake_all(phase);
  }

  /// The open phase; what was written before it was opened is visible.
  std::uint32_t current() const noexcept { return phase.load(std::memory_order_acquire); }
  std::size_t turns_of_round() const noexcept { return turns.load(std::memory_order_acquire); }
  /// Called by the worker that finished a phase's last item, before advance(): sets the number of turns of the round.
  void end_after(std::size_t of_turns) noexcept {
    turns.store(static_cast<std::uint32_t>(of_turns), std::memory_order_relaxed);
  }

  /// Called by a worker that leaves with an item of phase `in`, which therefore is still open: breaks the round off,
  /// like break_off().
  void abandon(std::uint32_t in) noexcept {
    if (phase.compare_exchange_strong(in, in | broken)) Atomics::wake_all(phase);
  }
  /// Ends the round for all workers, at once except for items in hand.
  void break_off() noexcept {
    phase.fetch_or(broken);
    Atomics::wake_all(phase);
  }
  /// Called between rounds: whether the round that began with phase `first` was completed.
  bool is_complete(std::uint32_t first) const noexcept {
    return ((phase.load(std::memory_order_acquire) - first) & phases) / 2 >= turns.load(std::memory_order_relaxed);
  }

  /// Returns when another phase than `seen` is open, or spuriously. `waits` shows observers that this worker is alive.
  void wait(std::uint32_t seen, published<std::uint64_t, Atomics>& waits) noexcept {
    for (std::uint32_t looks = 0; looks < Atomics::looks(600); ++looks) {
      if (phase.load(std::memory_order_acquire) != seen) return;
      Atomics::relax(looks, 200);
    }
    waits.raise(1);
    sleepers.fetch_add(1);
    Atomics::wait(phase, seen, std::chrono::milliseconds(10));
    sleepers.fetch_sub(1);
  }

 private:
  void begin(std::uint32_t at) noexcept {
    finished.store(0, std::memory_order_relaxed);
    claims.store(std::uint64_t{at} << 32, std::memory_order_release);
  }
};

using turn_board = basic_turn_board<>;

}  // namespace hogwild
