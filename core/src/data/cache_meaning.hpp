// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "data/cache_format.hpp"

namespace hogwild::detail {

// The conditions that the numbers of a cache must satisfy so that readers can use them without further checks: the same
// that parsers ensure. Checksums show that a file is as it was written, not that its numbers are valid: any writer can
// compute them. So the first reader of each section checks it, once, for all kinds of rows; the cost is proportional to
// that section.
//
//   index               below the number of columns; from first_singleton on numbered in the order of rows; for ratings
//                       a user before an item, for a graph one column or the two ends of an edge
//   value               finite; for images whole bytes, for a graph at least 0
//   label, label_table  finite; tables ascend; in lists whole; for images 0 to 255 (IDX) or 0 to 9 (CIFAR-10); for a
//                       graph -1 or a side that has a terminal, and -1 for an edge; for ratings finite in single
//                       precision
//   original            a number that a column can have; users before items, nodes before terminals of sides below
//                       most_sides, fields up to largest_field, unless the columns are those of another dataset
//   degree              at most the number of rows
//
// Values and labels of rows that a program made are not checked.
//
// Row lengths and codes of labels are checked when they are unpacked (row_table.hpp).

/// Checks labels as they are in the file: the table behind codes or lists, or one a row. `original` has been checked;
/// it is used only if looks_at_columns().
bool labels_hold(const cache_header& header, const label_column& labels, std::span<const std::uint32_t> original);

/// Numbers of the columns in the input, one a position.
bool original_holds(const cache_header& header, std::span<const std::uint32_t> original);
/// Whether no column has two positions; takes memory, and the time of sorting.
bool original_is_distinct(std::span<const std::uint32_t> original);

bool degree_holds(const cache_header& header, std::span<const std::uint32_t> degree);

/// Checks the block's checksum and all of its numbers. row_start, which ascends inside the arrays, and `original` have
/// been checked.
bool block_holds(const cache_arrays& arrays, std::uint64_t block, std::span<const std::uint32_t> original);
/// Whether block_holds() and labels_hold() use `original` for rows of this kind; otherwise it may be empty.
bool looks_at_columns(input_format kind);

}  // namespace hogwild::detail
