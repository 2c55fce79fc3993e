// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include <hogwild/detail/control/published.hpp>
#include <hogwild/detail/control/staleness.hpp>
#include <hogwild/detail/control/std_atomics.hpp>

namespace hogwild {

/// Where a worker stands. free -> joining by whoever claimed the slot through `pid`; joining -> active by the worker;
/// active -> left_out by the coordinator, back by the worker when it wakes; any -> free by the coordinator when its
/// owner is dead.
enum class worker_state : std::uint32_t {
  free,
  joining,
  active,
  left_out  ///< made no progress for a while (stopped, say): nobody waits for it
};

/// What one worker tells the others. Only its owner writes a slot, but for `state` and `generation`, and for the
/// coordinator, which reaps an owner that is dead: it clears `held` and `unsent`, and writes `pid` last, from where
/// the slot is somebody else's. Each part that is written often lies alone on its pair of cache lines, because the
/// hardware fetches lines in pairs. Under every schedule:
///
///     a slot has one owner: who claimed it, until it gives it back or is reaped;
///     the tag of somebody who is dead, or was left out, is never again the tag of an owner who counts;
///     who wakes after it was left out does not count before it says so.
template <class Atomics = std_atomics>
struct alignas(128) basic_worker_slot {
  static constexpr std::int32_t reserved = -1;  ///< `pid` of a slot whose worker is being started

  template <class T>
  using atomic = typename Atomics::template atomic<T>;
  template <class T>
  using published = hogwild::published<T, Atomics>;

  atomic<worker_state> state;
  atomic<std::uint32_t> generation;  ///< counts the owners: a tag of an earlier owner is a dead one's
  atomic<std::int32_t> pid;          ///< whose slot: by compare-and-swap from 0, nobody's; 0 in threads
  atomic<std::uint32_t> arrived;     ///< gate word of the last round that this worker finished
  atomic<std::uint64_t> start_time;  ///< of the process, to tell a reused pid
  published<std::uint64_t> beats;    ///< chunks begun: whoever stops counting is stopped
  published<std::uint64_t> held;     ///< ticket in hand + 1; 0 for none
  published<std::uint64_t> waits;    ///< signs of life of a worker that waits for others in a reproducible round
  published<std::uint64_t> blocks;   ///< of parameters that were copied, exchanged or merged: signs of life as well
  atomic<std::int32_t> thread;       ///< of the process, that trains
  atomic<std::int32_t> watch;        ///< another one, that looks after the supervisor: its work is no progress
  atomic<std::uint32_t> pageable;    ///< 1: it drives a device with which its memory could not be registered; stays so

  alignas(128) published<std::uint64_t> rows;  ///< done, published batch by batch: what staleness is counted in
  published<std::uint64_t> updates;            ///< rows that changed a parameter
  published<std::uint64_t> nonzeros;
  published<std::uint64_t> conflict_samples;  ///< sampled adds
  published<std::uint64_t> conflicts;         ///< of those, how many found another value than the dot had read
  published<std::uint64_t> unsent;            ///< rows done whose changes, in part at least, are in a replica only
  published<std::uint64_t> ring_exchanges;    ///< of this worker's replica with another, made by this worker
  published<std::uint64_t> ring_bytes;        ///< read from others and written to them
  published<std::uint64_t> ring_held_ns;      ///< how long the token was held
  published<std::uint64_t> ring_waits;        ///< looks that found the token elsewhere
  published<std::uint64_t> ring_taken_over;   ///< tokens that were overdue
  published<std::uint64_t> dense_meetings;    ///< of this rank of a synchronous run, where arrays were summed up
  published<std::uint64_t> sparse_meetings;   ///< where pairs of index and value were
  published<std::uint64_t> meeting_bytes;     ///< that this rank handed over
  published<std::uint64_t> meeting_ns;        ///< in meetings, waiting for other ranks included
  published<std::uint64_t> row_block_bytes;   ///< of a worker that drives a device which has not room for all rows
  alignas(128) std::array<published<std::uint32_t>, staleness_histogram::buckets> staleness;

  /// By the owner, before each draw and each batch of rows: whether the others wait for it. If not (it was left out, or
  /// taken for dead), the round may be over by now, and so the chunk in hand is dropped: others train on it. True says
  /// that the plan read before belongs to the round that is open.
  bool counts() const noexcept {
    order_earlier_reads();
    return state.load(std::memory_order_relaxed) == worker_state::active;
  }

  /// A number that rises while the worker gets on. What it tells is how long it stood still, no more: a row of a large
  /// model may take any time.
  std::uint64_t progress() const noexcept {
    return beats.get() + rows.get() + waits.get() + blocks.get() + ring_bytes.get();
  }

  /// By somebody whose process is `mine`: true where the slot was `from`'s, nobody's (0) or `reserved`, and is its now.
  bool claim(std::int32_t from, std::int32_t mine) noexcept { return pid.compare_exchange_strong(from, mine); }
  /// By the coordinator: nobody waits for the owner any more. False where it did not count.
  bool leave_out() noexcept {
    auto active = worker_state::active;
    return state.compare_exchange_strong(active, worker_state::left_out);
  }
  /// By the owner, outside of a round: counts again where it was left out, under a new generation. Others may have
  /// found its tag dead a moment ago, and be about to take over what bears it.
  void come_back() noexcept {
    auto now = state.load();
    if (now != worker_state::left_out) return;
    generation.fetch_add(1);
    state.compare_exchange_strong(now, worker_state::active);
  }

  /// By anybody: whether the others wait for the owner now; false may be true again in a moment.
  bool is_waited_for() const noexcept { return state.load(std::memory_order_acquire) == worker_state::active; }

  static constexpr std::uint32_t slot_bits = 12;  ///< of a tag: slot + 1; the generation stands above

  /// The owner's name on what it locks, if this is slot number `slot`; never 0.
  std::uint32_t tag(std::size_t slot) const noexcept {
    return generation.load(std::memory_order_acquire) << slot_bits | static_cast<std::uint32_t>(slot + 1);
  }
  /// Whether a tag of one of `slots` is that of an owner who counts.
  static bool is_live(const basic_worker_slot* slots, std::uint32_t tag) noexcept {
    const basic_worker_slot& slot = slots[(tag & ((1u << slot_bits) - 1)) - 1];
    return slot.is_waited_for() &&
           slot.generation.load(std::memory_order_acquire) << slot_bits == tag >> slot_bits << slot_bits;
  }
};

using worker_slot = basic_worker_slot<>;

}  // namespace hogwild
