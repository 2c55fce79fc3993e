// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <hogwild/dataset.hpp>

#include "data/column_table.hpp"
#include "data/parsed_text.hpp"

namespace hogwild::detail {

/// Columns by falling popularity. Equally popular ones are in the order of their numbers, but if there are many
/// columns, those of a single row are in the order of rows (singleton_order). Only columns that occur have a position.
struct column_order {
  std::vector<std::uint32_t> original;  ///< position -> number in the input
  std::vector<std::uint32_t> degree;    ///< position -> rows in which it occurs
  std::vector<std::uint32_t> position;  ///< index -> position; empty if the entries already hold positions

  /// The number of columns in more than one row; those from here on are in a single row. For columns by falling
  /// popularity.
  std::uint32_t first_singleton() const {
    return static_cast<std::uint32_t>(
        std::ranges::partition_point(degree, [](std::uint32_t rows) { return rows > 1; }) - degree.begin());
  }
};

/// Counts columns and assigns positions, in parallel. The number of entries bounds the memory, not the largest index:
/// if indices are far apart the entries are renumbered in place, otherwise the caller uses `position` to renumber on
/// the way. `by_kind`: columns of even index come before those of odd index, each kind by falling popularity.
column_order order_columns(parsed_text& text, bool by_kind = false);

/// The same for counted columns; their counts are replaced by their positions, and `position` is empty. `first_number`:
/// the input's number of the column with index 0.
column_order order_columns(column_table& counts, std::uint32_t first_number, bool by_kind);

/// Renumbers one block in place and closes the gaps; returns the number of dropped entries. Counts rows in `degree`;
/// several threads may process blocks at once.
std::size_t renumber(row_block& block, const column_numbering& numbering, std::uint32_t first_number,
                     std::vector<std::uint32_t>& degree);

/// Renumbers the entries in place and drops those of columns unknown to `numbering`; `dropped` becomes their number.
/// Counts the rows of each position. The result's `original` is that of `numbering`.
column_order apply_numbering(parsed_text& text, const column_numbering& numbering, std::size_t& dropped);

/// Orders the columns that occur in a single row, which come last in the order of columns, by their rows, and within a
/// row by its entries. Such columns are two thirds of some texts' columns, and the rarest. A row's own columns are then
/// adjacent in the model, in one or two cache lines instead of one each, and a run of rows has a run of cache lines
/// that no other row reads or writes.
class singleton_order {
 public:
  /// `before`: the numbers of the columns in their previous order, from position `first` on.
  singleton_order(std::uint32_t first, std::vector<std::uint32_t> before)
      : before_(std::move(before)), next_(first), first_(first) {}

  /// Takes the next rows, in this order: their columns get the next positions in `original`. If entries hold positions,
  /// these are changed; otherwise `position`, which has the positions of all columns, is.
  void number(parsed_text& text, std::span<const row_place> order, std::span<std::uint32_t> original,
              std::span<std::uint32_t> position);

 private:
  std::vector<std::uint32_t> before_;
  std::uint32_t next_, first_;
};

}  // namespace hogwild::detail
