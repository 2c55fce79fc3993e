// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/detail/memory/param_view.hpp>
#include <hogwild/detail/memory/private_memory.hpp>
#include <hogwild/detail/memory/segment_layout.hpp>
#include <hogwild/detail/platform/placement.hpp>

namespace hogwild {

namespace detail {
class attached_store;
}

/// Owns the memory that the workers of one run share: parameters, optimiser state, control words, telemetry. Returns
/// spans and views of it. Many workers may use these at once, as each type says; they are invalid once the store is
/// destroyed.
class param_store {
 public:
  /// Private memory for threads: zeroed, on huge pages if available. Throws resource_error. `ring_nodes`, if not empty,
  /// names the memory nodes of each replica on the ring (placement.hpp).
  static param_store in_memory(const store_shape& shape, std::vector<std::vector<int>> ring_nodes = {});
  /// The same in memory from that source, for a run without a ring.
  static param_store in_memory(const store_shape& shape, const memory_source& source);
  /// A new named segment that worker processes attach to; removed with the store. `model` is checked on attaching.
  /// Nobody can attach before open_for_workers(). Throws resource_error, with the size needed, if shared memory is too
  /// small.
  static param_store create(const std::string& name, const store_shape& shape, std::string_view model,
                            std::vector<std::vector<int>> ring_nodes = {});
  param_store(param_store&&) noexcept;
  param_store& operator=(param_store&&) noexcept;
  ~param_store();

  const store_shape& shape() const { return *reinterpret_cast<const store_shape*>(base_ + layout_.shape); }
  const std::string& name() const { return name_; }  ///< empty for private memory
  /// Called by a process that attached: segment::creator_lives().
  bool creator_lives() const;
  /// The memory nodes of the replicas on the ring, as given to the creator; empty in processes that attached.
  const std::vector<std::vector<int>>& ring_nodes() const { return ring_nodes_; }
  placed_memory ring_memory() const { return ring_memory_; }  ///< known to the creator only

  /// Called by the creator once all that workers look at is in place: they may attach, and wait at the closed gate.
  void open_for_workers() const { control().gate.store(2, std::memory_order_release); }

  control_block& control() const { return *reinterpret_cast<control_block*>(base_ + layout_.control); }
  std::span<worker_slot> slots() const { return array<worker_slot>(layout_.slots, shape().workers); }
  /// The reason why the worker in each slot failed.
  std::span<worker_failure> failures() const { return array<worker_failure>(layout_.failures, shape().workers); }
  std::span<ticket_counter> counters() const { return array<ticket_counter>(layout_.counters, shape().shards); }
  /// The last round in which each ticket was finished.
  std::span<done_mark> done() const { return array<done_mark>(layout_.done, shape().chunks); }
  /// Tickets to be drawn again in a redo round; written while the gate is closed.
  std::span<std::uint32_t> redo() const { return array<std::uint32_t>(layout_.redo, shape().chunks); }
  std::span<std::uint32_t> stripes() const { return array<std::uint32_t>(layout_.stripes, shape().stripes); }
  /// The board for readers from outside: null if none may read.
  live_board* live() const {
    return shape().live_bytes == 0 ? nullptr : reinterpret_cast<live_board*>(base_ + layout_.live);
  }
  std::span<std::byte> live_description() const {
    return array<std::byte>(layout_.live + sizeof(live_board), shape().live_bytes - sizeof(live_board));
  }
  std::span<std::byte> setup() const { return array<std::byte>(layout_.setup, shape().setup_bytes); }
  /// Written by the coordinator while the gate is closed; begins on a cache line.
  std::span<std::byte> table() const { return array<std::byte>(layout_.table, shape().table_bytes); }

  /// The parameters as they are stored: for linear models under sgd v, where the weights are w = a * v (scaled_l2). T
  /// is the type that the store was made for (scalar_bytes is checked).
  template <parameter T>
  std::span<T> parameters() const {
    require_scalar(sizeof(T));
    return array<T>(layout_.parameters, shape().parameters);
  }
  /// The k-th array of optimiser state: as long as the parameters, or shape().state_length numbers.
  template <parameter T>
  std::span<T> state(std::size_t k) const {
    require_scalar(sizeof(T));
    return array<T>(layout_.state + k * store_layout::state_stride(shape()), shape().numbers_of_state());
  }
  /// The v-th replica of the parameters (k = 0), or of the state array k - 1; a reproducible round decides which
  /// virtual worker it belongs to. With shape().halves, the parameters stored as halves come before the others, and
  /// take half as much room.
  template <parameter T>
  std::span<T> replica(std::size_t v, std::size_t k) const {
    require_scalar(sizeof(T));
    const std::size_t begin = layout_.replicas + v * store_layout::replica_stride(shape());
    if (k == 0) return array<T>(begin, shape().parameters - shape().halves * (sizeof(T) - 2) / sizeof(T));
    return array<T>(begin + store_layout::state_in_replica(shape(), k - 1), shape().numbers_of_state());
  }
  /// This store as a worker of the v-th replica on the ring sees it: the same, except that parameters and state are the
  /// replica's. Does not own the memory.
  param_store replica_view(std::size_t v) const;
  /// The same replica and the arrays beside it as raw memory, with room for twice its arrays, each beginning on a cache
  /// line.
  std::span<std::byte> ring_memory_of(std::size_t v) const {
    const std::size_t first = store_layout::on_ring(shape(), v);
    return array<std::byte>(layout_.ring + first, (v + 1) * store_layout::ring_stride(shape()) - first);
  }
  /// For a store made by replica_view(): a second array beside the replica's parameters (k = 0) or its state array k -
  /// 1, for instance for the others' values that the replica saw last.
  template <parameter T>
  std::span<T> beside(std::size_t k) const {
    require_scalar(sizeof(T));
    const std::size_t begin = layout_.parameters + store_layout::replica_stride(shape());
    return array<T>(begin + store_layout::array_offset(shape(), k),
                    k == 0 ? shape().parameters : shape().numbers_of_state());
  }
  /// All shared memory, and the part of it where processes that train in lockstep meet: shape().meeting_bytes from
  /// there.
  std::span<std::byte> bytes() const { return {base_, layout_.total}; }
  std::size_t meeting_offset() const { return layout_.meeting; }
  /// Parameters and optimiser state as bytes, to be saved and restored between rounds.
  std::span<std::byte> state_of_training() const {
    return array<std::byte>(layout_.parameters, layout_.state - layout_.parameters +
                                                    shape().state_arrays * store_layout::state_stride(shape()));
  }

  /// The locks of the locked baseline for the worker in slot `slot`, with its owner tag and the check for live owners.
  stripe_locks locks(std::size_t slot) const;

 private:
  friend class detail::attached_store;
  /// For worker processes, which know the run's scale: for linear models under sgd they see v, where the weights are w
  /// = a * v. Throws segment_error unless the segment exists and was made by the same build for the same model.
  static param_store attach(const std::string& name, std::string_view model);

  struct memory;
  param_store(std::unique_ptr<memory> owner, std::byte* base, const store_shape& shape, std::string name);
  void require_scalar(std::size_t bytes) const;

  template <class U>
  std::span<U> array(std::size_t offset, std::size_t n) const {
    return {reinterpret_cast<U*>(base_ + offset), n};
  }

  std::unique_ptr<memory> owner_;
  std::byte* base_;
  store_layout layout_;
  std::string name_;
  std::vector<std::vector<int>> ring_nodes_{};
  placed_memory ring_memory_ = placed_memory::anywhere;
};

}  // namespace hogwild
