// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include <hogwild/detail/control/staleness.hpp>
#include <hogwild/detail/control/std_atomics.hpp>

namespace hogwild {

/// The state of a worker. free -> joining: by whoever claims the slot through `pid`. joining -> active: by the worker.
/// active -> left_out: by the coordinator; back: by the worker when it wakes. any -> free: by the coordinator when the
/// owner is dead.
enum class worker_state : std::uint32_t {
  free,
  joining,
  active,
  left_out  ///< made no progress for a while (stopped, for instance): nobody waits for it
};

/// The words by which one worker informs the others. Only its owner writes a slot, with these exceptions: others write
/// `state` and `generation`, and the coordinator, which reaps a dead owner, clears `held` and `unsent` and writes `pid`
/// last; from then on the slot may belong to another worker. Each part that is written often lies alone on its pair of
/// cache lines, because the hardware fetches lines in pairs. Under every schedule:
///
///     a slot has one owner: the worker that claimed it, until it gives the slot back or is reaped;
///     the tag of a worker that is dead, or was left out, is never again the tag of an owner that counts;
///     a worker that wakes after it was left out does not count before it says so.
template <class Atomics = std_atomics>
struct alignas(128) basic_worker_slot {
  static constexpr std::int32_t reserved = -1;  ///< `pid` of a slot whose worker is being started

  template <class T>
  using atomic = typename Atomics::template atomic<T>;
  template <class T>
  using published = hogwild::published<T, Atomics>;

  atomic<worker_state> state;
  atomic<std::uint32_t> generation;  ///< number of owners so far: the tag of an earlier owner is dead
  atomic<std::int32_t> pid;          ///< the owner: by compare-and-swap from 0, nobody; 0 in threads
  atomic<std::uint32_t> arrived;     ///< gate word of the last round that this worker finished
  atomic<std::uint64_t> start_time;  ///< of the process, to recognise a reused pid
  published<std::uint64_t> beats;    ///< chunks begun: a worker whose count stands still is stopped
  published<std::uint64_t> held;     ///< ticket in hand + 1; 0 for none
  published<std::uint64_t> waits;    ///< signs of life of a worker that waits for others in a reproducible round
  published<std::uint64_t> blocks;   ///< blocks of parameters copied, exchanged or merged: also signs of life
  atomic<std::int32_t> thread;       ///< the thread of the process that trains
  atomic<std::int32_t> watch;        ///< another thread, that watches the supervisor: its work is no progress
  atomic<std::uint32_t> pageable;    ///< 1: it drives a device that could not register the worker's memory; stays so

  alignas(128) published<std::uint64_t> rows;  ///< rows done, published batch by batch: the unit of staleness
  published<std::uint64_t> updates;            ///< rows that changed a parameter
  published<std::uint64_t> nonzeros;
  published<std::uint64_t> conflict_samples;  ///< sampled adds
  published<std::uint64_t> conflicts;         ///< sampled adds that found another value than the dot had read
  published<std::uint64_t> unsent;            ///< rows done whose changes are, at least in part, only in a replica
  published<std::uint64_t> ring_exchanges;    ///< exchanges of this worker's replica with another, made by this worker
  published<std::uint64_t> ring_bytes;        ///< bytes read from others and written to them
  published<std::uint64_t> ring_held_ns;      ///< how long this worker held the token
  published<std::uint64_t> ring_waits;        ///< looks that found the token elsewhere
  published<std::uint64_t> ring_taken_over;   ///< overdue tokens that this worker took over
  published<std::uint64_t> dense_meetings;    ///< meetings of this rank of a synchronous run that summed arrays
  published<std::uint64_t> sparse_meetings;   ///< meetings that summed pairs of index and value
  published<std::uint64_t> meeting_bytes;     ///< bytes that this rank sent
  published<std::uint64_t> meeting_ns;        ///< time in meetings, including waiting for other ranks
  published<std::uint64_t> row_block_bytes;   ///< for a worker that drives a device without room for all rows
  alignas(128) std::array<published<std::uint32_t>, staleness_histogram::buckets> staleness;

  /// Called by the owner before each draw and each batch of rows: whether the others wait for it. If not (it was left
  /// out, or thought dead), the round may be over, so it drops the chunk in hand: others train on it. True means that
  /// the plan read before belongs to the open round.
  bool counts() const noexcept {
    order_earlier_reads();
    return state.load(std::memory_order_relaxed) == worker_state::active;
  }

  /// A number that rises while the worker makes progress. It only tells how long the worker stood still: a row of a
  /// large model may take any time.
  std::uint64_t progress() const noexcept {
    return beats.get() + rows.get() + waits.get() + blocks.get() + ring_bytes.get();
  }

  /// Called by a thread of process `mine`: true if the slot belonged to `from`, which may be 0 (nobody) or `reserved`;
  /// it belongs to `mine` now.
  bool claim(std::int32_t from, std::int32_t mine) noexcept { return pid.compare_exchange_strong(from, mine); }
  /// Called by the coordinator: nobody waits for the owner any more. False if the owner did not count.
  bool leave_out() noexcept {
    auto active = worker_state::active;
    return state.compare_exchange_strong(active, worker_state::left_out);
  }
  /// Called by the owner, outside of a round: if it was left out, it counts again under a new generation. Others may
  /// have just found its old tag dead, and be about to take over what it locked.
  void come_back() noexcept {
    auto now = state.load();
    if (now != worker_state::left_out) return;
    generation.fetch_add(1);
    state.compare_exchange_strong(now, worker_state::active);
  }

  /// Called by anybody: whether the others wait for the owner now. If false, it may be true a moment later.
  bool is_waited_for() const noexcept { return state.load(std::memory_order_acquire) == worker_state::active; }

  static constexpr std::uint32_t slot_bits = 12;  ///< of a tag: slot + 1; the generation is in the bits above

  /// The tag that the owner writes on what it locks, given that this is slot number `slot`; never 0.
  std::uint32_t tag(std::size_t slot) const noexcept {
    return generation.load(std::memory_order_acquire) << slot_bits | static_cast<std::uint32_t>(slot + 1);
  }
  /// Whether a tag belongs to an owner, in one of `slots`, that counts.
  static bool is_live(const basic_worker_slot* slots, std::uint32_t tag) noexcept {
    const basic_worker_slot& slot = slots[(tag & ((1u << slot_bits) - 1)) - 1];
    return slot.is_waited_for() &&
           slot.generation.load(std::memory_order_acquire) << slot_bits == tag >> slot_bits << slot_bits;
  }
};

using worker_slot = basic_worker_slot<>;

/// Rows that the workers of these slots have trained so far.
inline std::uint64_t rows_trained(std::span<const worker_slot> slots) noexcept {
  std::uint64_t rows = 0;
  for (const worker_slot& slot : slots) rows += slot.rows.get();
  return rows;
}

}  // namespace hogwild
