// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace hogwild::detail {

/// One number for each column that occurs in a text, while the text is read: its count, and later its position. An
/// array if columns are close together, else a table that grows with their number.
class column_table {
 public:
  /// The array takes at most this many bytes.
  explicit column_table(std::size_t most_dense = std::numeric_limits<std::size_t>::max()) : most_dense_(most_dense) {}

  /// Counts the columns of entries; they count from 0 and are below 2^32 - 2.
  void count(std::span<const std::uint32_t> columns);
  /// The number of a column that was counted.
  std::uint32_t& operator[](std::uint32_t column) { return keys_.empty() ? numbers_[column] : numbers_[find(column)]; }
  std::uint32_t operator[](std::uint32_t column) const {
    return keys_.empty() ? numbers_[column] : numbers_[find(column)];
  }
  /// Calls visit(column, count) for each column that occurs, in any order. Only while the numbers are counts.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (std::size_t k = 0; k < numbers_.size(); ++k)
      if (numbers_[k] > 0) visit(keys_.empty() ? static_cast<std::uint32_t>(k) : keys_[k] - 1, numbers_[k]);
  }
  std::size_t bytes() const { return 4 * (numbers_.size() + keys_.size()); }

 private:
  /// The place of a column, or where it would be inserted.
  std::size_t find(std::uint32_t column) const {
    std::size_t at = (column + std::uint64_t{1}) * 0x9e3779b97f4a7c15u >> shift_;
    while (keys_[at] != 0 && keys_[at] != column + 1) at = (at + 1) & (keys_.size() - 1);
    return at;
  }
  void count_scattered(std::span<const std::uint32_t> columns);
  void scatter(std::size_t slots);

  std::size_t most_dense_;
  std::uint64_t seen_ = 0;              ///< entries
  std::vector<std::uint32_t> keys_;     ///< column + 1, or 0; empty while the array is used
  std::vector<std::uint32_t> numbers_;  ///< for the column at this place of keys_, or with this number
  std::size_t used_ = 0;
  unsigned shift_ = 64;
};

}  // namespace hogwild::detail
