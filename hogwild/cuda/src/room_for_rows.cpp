// SPDX-License-Identifier: Apache-2.0
#include "room_for_rows.hpp"

#include <algorithm>
#include <string>

#include <hogwild/error.hpp>

#include "kernel_family.hpp"

namespace hogwild::device {

room_for_rows::room_for_rows(const runtime& device, const training_task& task, const loop_options& options,
                             const store_shape& shape)
    : device_(device),
      task_(task),
      options_(options),
      // A store in managed memory will move to the device, too, but has not yet.
      arrays_(options.memory == memory_kind::pinned
                  ? 0
                  : device_arrays::bytes(shape.parameters, shape.state_arrays, halves_of(task, options))) {
  const std::uint64_t rows = device.facts().host_memory ? 0 : kernels_of(task).bytes(task, options);
  const std::uint64_t left = device.free_bytes();
  if (rows > left || arrays_ > left - rows) block_bytes_ = most_blocks();
}

void room_for_rows::take_less() {
  const std::uint64_t most = most_blocks();
  if (block_bytes_ != 0 && block_bytes_ <= needs().least_block) refuse(device_.free_bytes());
  block_bytes_ = block_bytes_ == 0 ? most : std::max(std::min(most, block_bytes_ / 2), needs().least_block);
}

const stream_needs& room_for_rows::needs() {
  if (!needs_) {
    needs_ = kernels_of(task_).needs_of_stream(task_, options_);
    needs_->stays += arrays_;
    needs_->least_block = std::max(needs_->least_block, std::uint64_t{1});  // without rows, too
  }
  return *needs_;
}

/// Half of the rest stays free: allocations are rounded up, and kernels have memory of their own.
std::uint64_t room_for_rows::most_blocks() {
  const std::uint64_t left = device_.free_bytes(), stays = needs().stays, least = needs().least_block;
  if (stays > left || least > (left - stays) / 2) refuse(left);
  return std::max(std::min((left - stays) / 4, row_blocks::most_bytes), least);
}

void room_for_rows::refuse(std::uint64_t left) {
  const std::uint64_t stays = needs().stays, blocks = 2 * needs().least_block;
  const bool enough = stays <= left && blocks <= left - stays;
  throw resource_error("the device is too small for this run: parameters and state need " + std::to_string(stays) +
                       " bytes, two blocks of its longest row " + std::to_string(blocks) + ", and of the device " +
                       std::to_string(left) + " bytes are free" +
                       (enough ? ", but not in pieces as long as that" : "") +
                       "; train on fewer columns, or by threads");
}

}  // namespace hogwild::device
