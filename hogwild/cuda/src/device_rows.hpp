// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/data/sparse_view.hpp>

#include <hogwild/detail/cuda/margin_rows.hpp>
#include "row_blocks.hpp"
#include "runtime.hpp"

namespace hogwild::device {

/// The rows of a task in memory that a device reads: with the cache's types, narrow columns and values too, and with
/// the labels that the model trains on. Either all of them stay on the device, or the rows of each launch are copied
/// for it, into two blocks in turn. A device that reads the host's memory uses them there. All arguments outlive this.
/// Used by the worker that drives the device.
class device_rows {
 public:
  /// `block_bytes`: of each of two blocks, at least needs_of_stream().least_block; 0: all rows stay on the device.
  /// Throws cache_error if rows that stay are damaged, resource_error if they do not fit, and bringing_stopped.
  device_rows(runtime& device, const sparse_view& rows, const label_map& labels, std::uint64_t block_bytes);

  /// The memory that they need on a device with memory of its own: if all of them stay there, and if not.
  static std::uint64_t bytes(const sparse_view& rows);
  static stream_needs needs_of_stream(const sparse_view& rows);

  /// Whether all rows are there all the time.
  bool stay() const { return !blocks_; }

  /// How many of `count` rows, at least 1, from `first` on fit into a launch: at least 1.
  std::size_t room_for(std::size_t first, std::size_t count) const;

  /// Sets the rows in the work of a launch of rows [first, first + count), which fit. If rows are copied for each
  /// launch, this launch must be queued next. Throws cache_error if the copied rows are damaged.
  void name_in(margin_work& work, std::size_t first, std::size_t count);

 private:
  template <class T>
  const T* put(std::byte*& to, std::span<const T> from);
  void pack(std::byte* to, std::size_t first, std::size_t last, const std::vector<float>& labels);
  void encode(std::size_t first, std::size_t last, std::vector<float>& labels) const;
  void read_all();
  void stay_with_the_host();

  runtime& device_;
  const sparse_view& view_;
  const label_map& label_map_;
  margin_work rows_{};
  std::array<std::vector<float>, 2> labels_;  ///< of the rows in each block; rows that stay use the first
  std::optional<buffer<std::byte>> all_{};
  std::optional<row_blocks> blocks_{};
  std::optional<buffer<std::uint32_t>> degree_{};
};

}  // namespace hogwild::device
