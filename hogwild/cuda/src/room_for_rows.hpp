// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/task/training_task.hpp>
#include <hogwild/detail/worker/loop_options.hpp>

#include "row_blocks.hpp"
#include "runtime.hpp"

namespace hogwild::device {

/// How the device's free memory is divided, before anything is copied: whether all rows fit beside parameters and
/// state, and if not, how long two blocks of them may be. Used by the worker that drives the device; all arguments
/// outlive it.
class room_for_rows {
 public:
  /// Throws resource_error if not even two blocks of one row fit.
  room_for_rows(const runtime& device, const training_task& task, const loop_options& options,
                const store_shape& shape);

  /// 0: all rows stay on the device; else the bytes of each of two blocks.
  std::uint64_t block_bytes() const { return block_bytes_; }

  /// Called if an allocation failed, because others use the device, too, or its free memory is fragmented; what was
  /// allocated has been released. Throws resource_error, with the needed and free sizes, if there is nothing smaller to
  /// try.
  void take_less();

 private:
  /// Computed at the first call: it searches the longest row.
  const stream_needs& needs();
  std::uint64_t most_blocks();
  [[noreturn]] void refuse(std::uint64_t left);

  const runtime& device_;
  const training_task& task_;
  const loop_options& options_;
  std::uint64_t arrays_;
  std::optional<stream_needs> needs_{};  ///< parameters and state count as staying
  std::uint64_t block_bytes_ = 0;
};

}  // namespace hogwild::device
