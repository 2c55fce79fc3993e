// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <hogwild/dataset.hpp>

#include "data/column_table.hpp"
#include "data/parsed_text.hpp"

namespace hogwild::detail {

/// Columns by falling frequency; equal ones in the order of their numbers, but where there are many those of one row by
/// row (singleton_order.hpp). Only columns that occur have a position.
struct column_order {
  std::vector<std::uint32_t> original;  ///< position -> number in the input
  std::vector<std::uint32_t> degree;    ///< position -> rows in which it occurs
  std::vector<std::uint32_t> position;  ///< index -> position; empty where the entries hold positions already

  /// Columns in more than one row; those from here on are in a single one. For columns by falling frequency.
  std::uint32_t first_singleton() const {
    return static_cast<std::uint32_t>(
        std::ranges::partition_point(degree, [](std::uint32_t rows) { return rows > 1; }) - degree.begin());
  }
};

/// Counts and positions in parallel. Memory is bounded by the number of entries, not by the largest index: where the
/// indices are far apart the entries are renumbered in place, otherwise `position` is left to do it on the way.
/// `by_kind`: columns of even index before those of odd index, each kind by falling frequency.
column_order order_columns(parsed_text& text, bool by_kind = false);

/// The same for columns that were counted; their counts become their positions, and there is no `position`.
/// `first_number` is that of the input for the column of index 0.
column_order order_columns(column_table& counts, std::uint32_t first_number, bool by_kind);

/// Renumbers one block in place and closes the gaps; returns how many entries went. Counts rows in `degree`, for
/// several blocks at once.
std::size_t renumber(libsvm_block& block, const column_numbering& numbering, std::uint32_t first_number,
                     std::vector<std::uint32_t>& degree);

/// Renumbers the entries in place; those of columns unknown to `numbering` are dropped. Returns how many, and counts
/// the rows of each position. The result's `original` is that of `numbering`.
column_order apply_numbering(parsed_text& text, const column_numbering& numbering, std::size_t& dropped);

}  // namespace hogwild::detail
