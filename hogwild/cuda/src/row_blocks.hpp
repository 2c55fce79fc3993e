// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "runtime.hpp"

namespace hogwild::device {

/// Rows and entries are counted from the start of the whole dataset; where the first one of a part would be.
template <class T>
const T* counted_from(const T* part, std::uint64_t first) {
  if (part == nullptr) return nullptr;
  return reinterpret_cast<const T*>(reinterpret_cast<std::uintptr_t>(part) - first * sizeof(T));
}

/// What a run needs of a device's memory where its rows do not stay there.
struct stream_needs {
  std::uint64_t stays = 0;        ///< bytes that lie there all the time, beside parameters and state
  std::uint64_t least_block = 0;  ///< bytes of the longest row: a block holds that at least
};

/// Two blocks of a device's memory, through which rows come to its launches in turn: while the kernel of one launch
/// reads one of them, the rows of the next launch are brought into the other. Used by the worker that drives the
/// device; belongs to one device_model.
class row_blocks {
 public:
  static constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20;  ///< a block's; some milliseconds of copying

  row_blocks(runtime& device, std::uint64_t bytes);

  std::uint64_t bytes() const { return bytes_; }

  /// The block of the next launch, which is queued before this is called again. Waits for the launch before the last
  /// one, whose block it was; throws what has failed before it.
  std::byte* next();
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
