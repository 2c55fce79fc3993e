// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <hogwild/dataset.hpp>

namespace hogwild {

// libffm text: one row a line, "label field:index:value field:index:value ...".
//
// A field is a whole number up to largest_field, an index one up to largest_field_index; values and labels are finite
// numbers. Entries stand in any order, but a pair of field and index once a line at most. Blank lines are skipped, '#'
// begins a comment.
//
// As a row of data each pair of field and index is a column, so an index means something else in each field.

inline constexpr unsigned field_index_bits = 22;
inline constexpr std::uint32_t largest_field_index = (1u << field_index_bits) - 1;
inline constexpr std::uint32_t largest_field = (1u << (32 - field_index_bits)) - 2;

/// The number of a column in the input; field and index are at most the largest.
constexpr std::uint32_t field_column(std::uint32_t field, std::uint32_t index) {
  return (field << field_index_bits | index) + 1;
}
/// The field of a column by its number in the input, which is not 0.
constexpr std::uint32_t field_of(std::uint32_t column) {
  return (column - 1) >> field_index_bits;
}

/// How many fields there are among columns: one more than the largest, 0 where there is no column.
std::size_t count_fields(std::span<const std::uint32_t> original);

/// Opens libffm text, plain or compressed, as open_libsvm opens its text; sparse_view::original says which field and
/// index each column is. Throws what open_libsvm throws.
sparse_dataset open_libffm(const std::string& path, const open_options& options = {});

}  // namespace hogwild
