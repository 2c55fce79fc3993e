// SPDX-License-Identifier: Apache-2.0
#include "row_blocks.hpp"

namespace hogwild::device {

row_blocks::row_blocks(runtime& device, std::uint64_t bytes)
    : device_(device), bytes_(bytes), blocks_{buffer<std::byte>(device, bytes), buffer<std::byte>(device, bytes)} {}

std::byte* row_blocks::next() {
  read_[turn_] = device_.mark();
  turn_ = 1 - turn_;
  device_.wait(read_[turn_]);
  return blocks_[turn_].data();
}

}  // namespace hogwild::device
