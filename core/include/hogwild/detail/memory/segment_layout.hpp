// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <hogwild/detail/control/control_block.hpp>
#include <hogwild/detail/control/live_board.hpp>
#include <hogwild/detail/control/ticket_counter.hpp>
#include <hogwild/detail/control/worker_failure.hpp>
#include <hogwild/detail/control/worker_slot.hpp>
#include <hogwild/detail/memory/segment_header.hpp>

// One memory block holds all that the workers of a run share, in private memory as well as in a named segment. It
// contains no pointers: every process maps it at any address and adds the same offsets to its own base.
//
//   coordinator: base A                          worker: base B
//   A + 0         segment header                 B + 0
//   A + 4096      store_shape                    B + 4096
//   A + offset    control, slots, counters, ...  B + the same offset
//   A + offset    parameters, state, replicas    B + the same offset

namespace hogwild {

/// The sizes of all parts of a run's memory. Stored after the header, so that processes that attach find the rest.
struct store_shape {
  std::uint64_t parameters = 0;
  std::uint64_t scalar_bytes = 4;
  std::uint64_t state_arrays = 0;   ///< of optimiser state
  std::uint64_t state_length = 0;   ///< numbers in each of them; 0: as many as there are parameters
  std::uint64_t workers = 1;        ///< slots, including those for late joiners
  std::uint64_t shards = 1;         ///< ticket counters
  std::uint64_t chunks = 1;         ///< tickets of an epoch
  std::uint64_t stripes = 0;        ///< locks of the locked baseline: 0 or a power of two
  std::uint64_t setup_bytes = 0;    ///< further data for workers: options, model, labels, paths
  std::uint64_t replicas = 0;       ///< copies of parameters and state, one for each virtual worker
  std::uint64_t halves = 0;         ///< virtual worker's parameters (the first ones) that are stored as halves
  std::uint64_t ring = 0;           ///< replicas on a ring: parameters, state, and the others' values last seen
  std::uint64_t meeting_bytes = 0;  ///< the meeting place of processes that train in lockstep (collectives/segment.hpp)
  std::uint64_t live_bytes = 0;     ///< for readers from outside: a live_board and a live_description; 0: none may read
  std::uint64_t table_bytes = 0;    ///< data that the task's coordinator passes to its workers from round to round

  std::uint64_t numbers_of_state() const { return state_length > 0 ? state_length : parameters; }

  bool operator==(const store_shape&) const = default;
};

/// The offset of each array of a store, in bytes from its base; all except small control arrays begin on a page.
struct store_layout {
  std::size_t shape, control, slots, failures, counters, done, redo, stripes, setup, live, table, parameters, state,
      replicas, ring, meeting, total;

  explicit store_layout(const store_shape& s) {
    constexpr std::size_t page = 4096;
    std::size_t end = segment_header_bytes;
    const auto place = [&end](std::size_t bytes, std::size_t alignment) {
      const std::size_t at = (end + alignment - 1) / alignment * alignment;
      end = at + bytes;
      return at;
    };
    shape = place(sizeof(store_shape), 128);
    control = place(sizeof(control_block), 128);
    slots = place(s.workers * sizeof(worker_slot), 128);
    failures = place(s.workers * sizeof(worker_failure), 128);
    counters = place(s.shards * sizeof(ticket_counter), 128);
    done = place(s.chunks * sizeof(done_mark), 128);
    redo = place(s.chunks * sizeof(std::uint32_t), 128);
    stripes = place(s.stripes * sizeof(std::uint32_t), 128);
    setup = place(s.setup_bytes, 128);
    live = place(s.live_bytes, 128);
    table = place(s.table_bytes, 128);
    parameters = place(s.parameters * s.scalar_bytes, page);
    state = place(s.state_arrays * state_stride(s), page);
    replicas = place(s.replicas * replica_stride(s), page);
    ring = place(s.ring * ring_stride(s), s.ring > 0 ? ring_alignment(s) : page);
    meeting = place(s.meeting_bytes, page);
    total = place(0, page);
  }

  static constexpr std::size_t whole_pages(std::size_t bytes) { return (bytes + 4095) / 4096 * 4096; }
  /// Bytes from the parameters to the first state array, and from one of these to the next.
  static std::size_t parameter_stride(const store_shape& s) { return whole_pages(s.parameters * s.scalar_bytes); }
  static std::size_t state_stride(const store_shape& s) { return whole_pages(s.numbers_of_state() * s.scalar_bytes); }
  /// Bytes from the parameters to array k of these and the state: 0 are the parameters.
  static std::size_t array_offset(const store_shape& s, std::size_t k) {
    return k == 0 ? 0 : parameter_stride(s) + (k - 1) * state_stride(s);
  }

  /// Bytes from one replica to the next. Loops walk replicas side by side, so they must not fall on the same cache
  /// sets.
  static std::size_t replica_stride(const store_shape& s) { return state_in_replica(s, s.state_arrays) + 256; }
  /// Bytes from the beginning of a replica to array k of its state.
  static std::size_t state_in_replica(const store_shape& s, std::size_t k) {
    return whole_pages(s.parameters * s.scalar_bytes - s.halves * (s.scalar_bytes - 2)) + k * state_stride(s);
  }

  /// Bytes from one replica on the ring to the next: whole pages, so that each can lie on a memory node of its own;
  /// huge pages if that makes them larger by an eighth at most.
  static std::size_t ring_stride(const store_shape& s) {
    const std::size_t unit = ring_alignment(s);
    return (ring_bytes(s) + unit - 1) / unit * unit;
  }
  static std::size_t ring_alignment(const store_shape& s) {
    constexpr std::size_t huge_page = std::size_t{2} << 20;
    return ring_bytes(s) >= 8 * huge_page ? huge_page : 4096;
  }
  /// A replica's arrays, those beside them, and a page.
  static std::size_t ring_bytes(const store_shape& s) { return 2 * array_offset(s, 1 + s.state_arrays) + 4096; }
  /// Where the arrays of replica v begin, from `ring` on; the arrays beside them come replica_stride() later. Like
  /// replicas, they must not all fall on the same cache sets: eight positions alternate in the page that ring_stride()
  /// adds.
  static std::size_t on_ring(const store_shape& s, std::size_t v) { return v * ring_stride(s) + v % 8 * 512; }
};

static_assert(std::is_trivially_copyable_v<store_shape> && sizeof(store_shape) == 120);
static_assert(std::is_standard_layout_v<worker_slot> && sizeof(worker_slot) == 512);
static_assert(std::is_standard_layout_v<control_block> && sizeof(control_block) == 1152);
static_assert(sizeof(ticket_counter) == 128);
static_assert(std::is_trivially_copyable_v<round_plan> && sizeof(round_plan) == 112);

/// Differs between builds whose processes would misread each other's segments.
constexpr std::uint64_t layout_hash() {
  std::uint64_t h = 9;  // raised by hand if a meaning changes but no size does
  for (const std::uint64_t part :
       {sizeof(store_shape), sizeof(control_block), sizeof(worker_slot), sizeof(worker_failure), sizeof(ticket_counter),
        sizeof(round_plan), sizeof(live_board), segment_header_bytes, offsetof(worker_slot, pageable),
        offsetof(worker_slot, rows), offsetof(worker_slot, row_block_bytes), offsetof(worker_slot, staleness)}) {
    h = (h ^ part) * 0x100000001b3u;
  }
  return h;
}

}  // namespace hogwild
