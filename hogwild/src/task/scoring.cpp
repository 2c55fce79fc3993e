// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/task/scoring.hpp>

#include <algorithm>
#include <numeric>
#include <string>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/error.hpp>

namespace hogwild::detail {

std::vector<std::uint32_t> input_numbers_of(const sparse_view& rows) {
  if (!rows.original.empty() || rows.columns == 0) return {rows.original.begin(), rows.original.end()};
  std::vector<std::uint32_t> positions(rows.columns);
  std::iota(positions.begin(), positions.end(), 0u);
  return positions;
}

void require_numbered_as(std::span<const std::uint32_t> columns, const sparse_view& rows) {
  if (rows.columns > columns.size())
    throw config_error("the rows have " + std::to_string(rows.columns) + " columns, but the model has " +
                       std::to_string(columns.size()) + "; open them with the model's numbering()");
  if (!rows.original.empty() && !std::ranges::equal(rows.original, columns))
    throw config_error(
        "the columns of the rows are numbered otherwise than those of the model: open them with the model's "
        "numbering()");
  // Rows of a file are checked when they are read.
  if (rows.source != nullptr) return;
  row_cursor cursor(rows);
  for (std::size_t r = 0; r < rows.rows(); ++r)
    for (const std::uint32_t column : cursor.row(r).index)
      if (column >= rows.columns)
        throw input_error("the rows: row " + std::to_string(r + 1) + " has column " + std::to_string(column) +
                          ", but there are only " + std::to_string(rows.columns) + " columns");
}

void refuse_unnamed(std::string_view model) {
  throw config_error("the model " + std::string(model) +
                     " would be another one when it is loaded: name the members that it is made with in its numbers()");
}

void refuse_offsets(std::string_view model) {
  throw config_error("the rows have offsets, which are for models with a margin; " + std::string(model) +
                     " has none: leave them out");
}

}  // namespace hogwild::detail
