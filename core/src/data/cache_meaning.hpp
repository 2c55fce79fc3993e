// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "data/cache_format.hpp"

namespace hogwild::detail {

// What the numbers of a cache must be so that whatever reads them may use them as they stand: the same that parsers see
// to. Checksums say that a file is as it was written, not that its numbers mean anything: who writes a file can seal
// any. So each section is checked here, once, by its first reader, for all kinds of rows; what it costs is in
// proportion to that section.
//
// | section | must be |
// | index | below the number of columns; from first_singleton on as they are numbered; of ratings a user before an
// item,
//   of a graph one column or the two ends of an edge |
// | value | finite; of images whole bytes, of a graph at least 0 |
// | label, label_table | finite; tables ascend; of lists whole; of images 0 to 255, or 9; of a graph -1 or a
//   side that has a terminal, and -1 for an edge; of ratings finite in single precision |
// | original | a number that a column can have; users before items, nodes before terminals of sides below most_sides,
//   fields up to largest_field, unless the columns are those of another set |
// | degree | at most the number of rows |
//
// Row lengths and codes of labels are checked where they are unpacked (row_table.hpp).

/// Labels as they stand in the file: the table behind codes or lists, or one a row. `original` holds; it counts where
/// looks_at_columns() says so.
bool labels_hold(const cache_header& header, const label_column& labels, std::span<const std::uint32_t> original);

/// Numbers of the columns in the input, one a position.
bool original_holds(const cache_header& header, std::span<const std::uint32_t> original);
/// That no column has two positions; takes memory, and the time of sorting.
bool original_is_distinct(std::span<const std::uint32_t> original);

bool degree_holds(const cache_header& header, std::span<const std::uint32_t> degree);

/// The block's checksum and all of its numbers. The rows are those of row_start, which ascend inside the arrays;
/// `original` holds.
bool block_holds(const cache_arrays& arrays, std::uint64_t block, std::span<const std::uint32_t> original);
/// Whether block_holds() and labels_hold() look at `original` for rows of this kind; else it may be empty.
bool looks_at_columns(row_kind kind);

}  // namespace hogwild::detail
