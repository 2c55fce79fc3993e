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
// numbers. Entries stand in any order, but a pair of field and index occurs at most once in a line. Blank lines are
// skipped, and '#' begins a comment.
//
// As a row of data, each pair of field and index is a column, so an index means something else in each field.

/// Bits of a column's input number that hold the index; the others hold the field.
inline constexpr unsigned field_index_bits = 22;
/// The largest index within a field.
inline constexpr std::uint32_t largest_field_index = (1u << field_index_bits) - 1;
/// The largest number of a field.
inline constexpr std::uint32_t largest_field = (1u << (32 - field_index_bits)) - 2;

/// The input number of a column. `field` and `index` are at most largest_field and largest_field_index.
constexpr std::uint32_t field_column(std::uint32_t field, std::uint32_t index) {
  return (field << field_index_bits | index) + 1;
}
/// The field of a column with this input number, which is not 0.
constexpr std::uint32_t field_of(std::uint32_t column) {
  return (column - 1) >> field_index_bits;
}

/// The number of fields of these columns: the largest field plus one; 0 without columns.
std::size_t count_fields(std::span<const std::uint32_t> original);

/// Opens libffm text, plain or compressed, as open_libsvm opens its text; sparse_view::original tells the field and
/// index of each column. Throws what open_libsvm throws.
sparse_dataset open_libffm(const std::string& path, const open_options& options = {});

}  // namespace hogwild
