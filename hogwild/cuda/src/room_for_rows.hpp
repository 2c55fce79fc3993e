// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include <hogwild/detail/loop/loop_options.hpp>
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/task/training_task.hpp>

#include "row_blocks.hpp"
#include "runtime.hpp"

namespace hogwild::device {

/// How the device's free memory is dealt out, before anything is copied: whether all rows have room there beside
/// parameters and state, else how long two blocks of them may be. Used by the worker that drives the device; all that
/// is given outlives it.
class room_for_rows {
 public:
  /// Throws resource_error where not even the blocks of one row have room.
  room_for_rows(const runtime& device, const training_task& task, const loop_options& options,
                const store_shape& shape);

  /// 0: all rows stay on the device; else the bytes of each of two blocks.
  std::uint64_t block_bytes() const { return block_bytes_; }

  /// The device had no room for that: others use it, too, or what is free lies in pieces. What was allocated is given
  /// back already. Throws resource_error, with what is needed and free, where there is nothing less to try.
  void take_less();

 private:
  /// Looks for the longest row when it is first asked.
  const stream_needs& needs();
  std::uint64_t most_blocks();
  [[noreturn]] void refuse(std::uint64_t left);

  const runtime& device_;
  const training_task& task_;
  const loop_options& options_;
  std::uint64_t arrays_;
  std::optional<stream_needs> needs_{};  ///< parameters and state among what stays
  std::uint64_t block_bytes_ = 0;
};

}  // namespace hogwild::device
