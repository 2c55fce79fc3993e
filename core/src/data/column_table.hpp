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
  /// Adds the counts of another table.
  void add(const column_table& others);
  /// The number of a column that was counted.
  std::uint32_t& operator[](std::uint32_t column) {
    return slots_.empty() ? numbers_[column] : slots_[find(column)].number;
  }
  std::uint32_t operator[](std::uint32_t column) const {
    return slots_.empty() ? numbers_[column] : slots_[find(column)].number;
  }
  /// Replaces columns that were counted by their numbers.
  void look_up(std::span<std::uint32_t> columns) const;
  /// Calls visit(column, count) for each column that occurs, in any order. Only while the numbers are counts.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (std::size_t k = 0; k < numbers_.size(); ++k)
      if (numbers_[k] > 0) visit(static_cast<std::uint32_t>(k), numbers_[k]);
    for (const slot& each : slots_)
      if (each.number > 0) visit(each.key - 1, each.number);
  }
  std::size_t bytes() const { return 4 * numbers_.size() + sizeof(slot) * slots_.size(); }

 private:
  struct slot {
    std::uint32_t key = 0;  ///< column + 1, or 0
    std::uint32_t number = 0;
  };
  std::size_t first_slot(std::uint32_t column) const {
    return (column + std::uint64_t{1}) * 0x9e3779b97f4a7c15u >> shift_;
  }
  /// The place of a column, or where it would be inserted.
  std::size_t find(std::uint32_t column) const {
    std::size_t at = first_slot(column);
    while (slots_[at].key != 0 && slots_[at].key != column + 1) at = (at + 1) & (slots_.size() - 1);
    return at;
  }
  /// Slots are far apart in memory: they are asked for some columns ahead.
  void fetch_ahead(std::span<const std::uint32_t> columns, std::size_t k) const {
    constexpr std::size_t ahead = 16;
    if (k + ahead < columns.size()) __builtin_prefetch(&slots_[first_slot(columns[k + ahead])]);
  }
  void count_scattered(std::span<const std::uint32_t> columns);
  void add_scattered(std::uint32_t column, std::uint32_t count);
  void scatter(std::size_t slots);

  std::size_t most_dense_;
  std::uint64_t seen_ = 0;              ///< entries
  std::vector<std::uint32_t> numbers_;  ///< the array, by column; empty once the table is used
  std::vector<slot> slots_;             ///< the table; empty while the array is used
  std::size_t used_ = 0;
  unsigned shift_ = 64;
};

}  // namespace hogwild::detail
