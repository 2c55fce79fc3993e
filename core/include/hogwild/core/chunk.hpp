// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace hogwild {

/// A run of rows that one worker trains on between two draws.
struct chunk {
  std::size_t index;  ///< which chunk of the data
  std::size_t first;  ///< rows [first, last)
  std::size_t last;
  std::size_t rows() const { return last - first; }
};

/// Cuts the rows into chunks of equal size; only the last one may be shorter. The chunks cover every row exactly once.
class chunk_plan {
 public:
  chunk_plan(std::size_t rows, std::size_t rows_per_chunk)
      : rows_(rows), size_(std::max<std::size_t>(rows_per_chunk, 1)) {}

  /// About 16,384 nonzeros a chunk, so that a draw costs nothing beside the work, and 16 to 256 rows, so that workers
  /// end an epoch together; small data get at least 64 chunks. A function of the data alone: the same for any engine
  /// and any number of workers.
  static chunk_plan choose(std::size_t rows, std::size_t nonzeros) {
    const std::size_t by_work = 16384 * std::max<std::size_t>(rows, 1) / std::max<std::size_t>(nonzeros, 1);
    const std::size_t by_rows = std::max<std::size_t>(rows / 64, 1);
    return {rows, std::min(std::clamp<std::size_t>(by_work, 16, 256), by_rows)};
  }

  std::size_t rows() const { return rows_; }
  std::size_t rows_per_chunk() const { return size_; }
  std::size_t count() const { return (rows_ + size_ - 1) / size_; }
  /// Chunks of full size.
  std::size_t full() const { return rows_ / size_; }
  chunk operator[](std::size_t i) const { return {i, i * size_, std::min((i + 1) * size_, rows_)}; }

 private:
  std::size_t rows_, size_;
};

}  // namespace hogwild
