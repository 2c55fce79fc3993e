// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <hogwild/core/sparse_dataset.hpp>

#include "parsed_text.hpp"

namespace hogwild::detail {

/// Columns by falling frequency; equal ones in the order of their numbers, but where there are many those of one row by
/// row (single_columns.hpp). Only columns that occur have a rank.
struct column_ranking {
  std::vector<std::uint32_t> original;  ///< rank -> number in the input, which counts from 1
  std::vector<std::uint32_t> degree;    ///< rank -> rows in which it occurs
  std::vector<std::uint32_t> rank;      ///< index -> rank; empty where the entries hold ranks already

  /// Columns in more than one row; those from here on are in a single one. For columns by falling frequency.
  std::uint32_t frequent() const {
    return static_cast<std::uint32_t>(
        std::ranges::partition_point(degree, [](std::uint32_t rows) { return rows > 1; }) - degree.begin());
  }
};

/// Counts and ranks in parallel. Memory is bounded by the number of entries, not by the largest index: where the
/// indices are far apart the entries are renumbered in place, otherwise `rank` is left to do it on the way.
/// `by_kind`: columns of even index before those of odd index, each kind by falling frequency.
column_ranking rank_columns(parsed_text& text, bool by_kind = false);

/// Renumbers the entries in place; those of columns unknown to `numbering` are dropped. Returns how many, and counts
/// the rows of each rank. The result's `original` is that of `numbering`.
column_ranking apply_numbering(parsed_text& text, const column_numbering& numbering, std::size_t& dropped);

}  // namespace hogwild::detail
