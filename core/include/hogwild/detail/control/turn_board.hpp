// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <hogwild/detail/control/published.hpp>
#include <hogwild/detail/control/std_atomics.hpp>

namespace hogwild {

/// Where the workers of a reproducible round meet. The round is a sequence of phases; a phase is a few items (virtual
/// workers to train, slices to merge), each claimed by one worker, and it ends when the last of them is finished, not
/// when all workers have come by. So it does not matter how many workers there are, whether a library grants the
/// threads that it was asked for, or in which order they come: whoever is there does what is left. Zero is a board
/// that nobody uses.
///
/// A worker that dies with an item would keep its phase from ending; then the coordinator breaks the round off, and
/// everybody leaves. Before it opens another round after one that did not come to its end, whoever was left out of it
/// is dead: with an item in hand it would finish what others have begun anew. Under every schedule:
///
///     an item is claimed by one worker;
///     a phase begins when all items of the one before are finished;
///     what was written before finish() is seen by whoever claims an item of the next phase;
///     a round is complete when all its phases are, and not where it was broken off before;
///     who was left out of a round that is complete takes nothing of a later one;
///     no wake-up is lost: timeouts are for the dead.
template <class Atomics = std_atomics>
struct basic_turn_board {
  template <class T>
  using atomic = typename Atomics::template atomic<T>;

  static constexpr std::size_t most_items = 32;        ///< of a phase
  static constexpr std::uint32_t broken = 1u << 31;    ///< in `phase`
  static constexpr std::uint32_t phases = broken - 1;  ///< mask: they are numbered in a circle over the whole run

  alignas(128) atomic<std::uint32_t> phase;  ///< that is open; workers sleep on it
  atomic<std::uint32_t> turns;               ///< of the round; lowered when the run is asked to stop
  atomic<std::uint32_t> sleepers;  ///< that may have to be woken: each counts itself, and the dead stay counted
  alignas(128) atomic<std::uint64_t> claims;  ///< the phase, and a bit for each item that is taken
  alignas(128) atomic<std::uint32_t> finished;

  /// By the coordinator, while the gate is closed: a round of so many turns. Returns its first phase.
  std::uint32_t open(std::uint32_t of_turns) noexcept {
    const std::uint32_t first = (phase.load(std::memory_order_relaxed) + 1) & phases;
    // In this order: whoever slept through the end of the round before, and finds turns left because this one has more,
    // finds nothing to claim any more.
    begin(first);
    turns.store(of_turns, std::memory_order_release);
    phase.store(first, std::memory_order_release);
    return first;
  }

  /// Takes one of the phase's `items` that nobody has taken, the first at or after `preferred` where there is one;
  /// nothing when all are taken or another phase has begun.
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

  /// One of the phase's `items` is done. True for the last one: its worker sees what the others wrote, and is to
  /// advance().
  bool finish(std::size_t items) noexcept { return finished.fetch_add(1, std::memory_order_acq_rel) + 1 == items; }

  /// Opens the phase `to` after `from`, unless the round has been broken off.
  void advance(std::uint32_t from, std::uint32_t to) noexcept {
    begin(to & phases);
    if (phase.compare_exchange_strong(from, to & phases) && sleepers.load() > 0) Atomics::wake_all(phase);
  }

  /// The phase that is open; what was written before it was opened is seen.
  std::uint32_t current() const noexcept { return phase.load(std::memory_order_acquire); }
  std::size_t turns_of_round() const noexcept { return turns.load(std::memory_order_acquire); }
  /// By whoever finished a phase's last item, before advance(): the round has so many turns and no more.
  void end_after(std::size_t of_turns) noexcept {
    turns.store(static_cast<std::uint32_t>(of_turns), std::memory_order_relaxed);
  }

  /// By a worker that leaves with an item of phase `in`, which therefore is still open: as break_off().
  void abandon(std::uint32_t in) noexcept {
    if (phase.compare_exchange_strong(in, in | broken)) Atomics::wake_all(phase);
  }
  /// Ends the round for everybody, at once but for the items in hand.
  void break_off() noexcept {
    phase.fetch_or(broken);
    Atomics::wake_all(phase);
  }
  /// Between rounds: whether the round that began with phase `first` came to its end.
  bool is_complete(std::uint32_t first) const noexcept {
    return ((phase.load(std::memory_order_acquire) - first) & phases) / 2 >= turns.load(std::memory_order_relaxed);
  }

  /// Returns when another phase than `seen` is open, or for no reason at all. `waits` tells whoever watches that this
  /// worker is alive.
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
