// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "runtime.hpp"

namespace hogwild::device {

/// A pointer for indices that count from the start of the whole dataset: where its first element would be.
template <class T>
const T* counted_from(const T* part, std::uint64_t first) {
  if (part == nullptr) return nullptr;
  return reinterpret_cast<const T*>(reinterpret_cast<std::uintptr_t>(part) - first * sizeof(T));
}

/// Memory that a run needs on a device if its rows do not stay there.
struct stream_needs {
  std::uint64_t stays = 0;        ///< bytes that are there all the time, beside parameters and state
  std::uint64_t least_block = 0;  ///< bytes of the longest row: the least size of a block
};

/// Two blocks of a device's memory, through which rows come to its launches in turn: while the kernel of one launch
/// reads one of them, the rows of the next launch are copied into the other. Used by the worker that drives the device;
/// belongs to one device_model.
class row_blocks {
 public:
  static constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20;  ///< of one block; some milliseconds of copying

  row_blocks(runtime& device, std::uint64_t bytes)
      : device_(device), bytes_(bytes), blocks_{buffer<std::byte>(device, bytes), buffer<std::byte>(device, bytes)} {}

  std::uint64_t bytes() const { return bytes_; }

  /// The block of the next launch, which must be queued before this is called again. Waits for the launch before the
  /// last one, which used this block; throws errors from before its end.
  std::byte* next() {
    read_[turn_] = device_.mark();
    turn_ = 1 - turn_;
    device_.wait(read_[turn_]);
    return blocks_[turn_].data();
  }
  /// Its number, 0 or 1.
  std::size_t turn() const { return turn_; }

 private:
  runtime& device_;
  std::uint64_t bytes_;
  std::array<buffer<std::byte>, 2> blocks_;
  std::array<std::uint64_t, 2> read_{};  ///< marks behind the last launch that reads the block
  std::size_t turn_ = 0;
};

}  // namespace hogwild::device
