// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace hogwild {

/// A run of rows that one worker trains on between two draws.
struct chunk {
  std::size_t index;  ///< number of the chunk in the data
  std::size_t first;  ///< rows [first, last)
  std::size_t last;
  std::size_t rows() const { return last - first; }
};

/// Cuts the rows into chunks of equal size, except that the last one may be shorter, or at given places. The chunks
/// cover every row exactly once.
class chunk_plan {
 public:
  chunk_plan(std::size_t rows, std::size_t rows_per_chunk)
      : rows_(rows), size_(std::max<std::size_t>(rows_per_chunk, 1)) {}

  /// Chunk i is rows [starts[i], starts[i + 1]); `starts` ascends from 0 to the number of rows, and outlives the plan.
  explicit chunk_plan(std::span<const std::uint32_t> starts)
      : rows_(starts.back()), size_(std::max<std::size_t>(rows_ / (starts.size() - 1), 1)), starts_(starts) {}

  /// Chunks of about 16,384 nonzeros, so that the cost of a draw is negligible, and of 16 to 256 rows, so that workers
  /// end an epoch together; small data get at least 64 chunks. Depends only on the data: the same for any engine and
  /// any number of workers.
  static chunk_plan choose(std::size_t rows, std::size_t nonzeros) {
    const std::size_t by_work = 16384 * std::max<std::size_t>(rows, 1) / std::max<std::size_t>(nonzeros, 1);
    const std::size_t by_rows = std::max<std::size_t>(rows / 64, 1);
    return {rows, std::min(std::clamp<std::size_t>(by_work, 16, 256), by_rows)};
  }

  std::size_t rows() const { return rows_; }
  /// The average, if sizes differ.
  std::size_t rows_per_chunk() const { return size_; }
  std::size_t count() const { return starts_.empty() ? (rows_ + size_ - 1) / size_ : starts_.size() - 1; }
  /// Chunks that may come in any order: those of full size, or all if sizes differ.
  std::size_t full() const { return starts_.empty() ? rows_ / size_ : count(); }
  chunk operator[](std::size_t i) const {
    if (!starts_.empty()) return {i, starts_[i], starts_[i + 1]};
    return {i, i * size_, std::min((i + 1) * size_, rows_)};
  }

 private:
  std::size_t rows_, size_;
  std::span<const std::uint32_t> starts_{};
};

}  // namespace hogwild
