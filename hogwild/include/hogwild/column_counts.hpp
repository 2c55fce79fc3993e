// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <hogwild/core/row_cursor.hpp>

namespace hogwild {

/// Rows that contain each column. Columns are below data.columns.
inline std::vector<std::uint32_t> count_columns(const sparse_view& data) {
  std::vector<std::uint32_t> degree(data.columns);
  row_cursor cursor(data);
  for (std::size_t r = 0; r < data.rows(); ++r) {
    for (const std::uint32_t j : cursor.row(r).index) ++degree[j];
  }
  return degree;
}

/// Sums of the squares of each column's values.
inline std::vector<double> column_squares(const sparse_view& data) {
  std::vector<double> squares(data.columns);
  row_cursor cursor(data);
  for (std::size_t r = 0; r < data.rows(); ++r) {
    for (const auto [j, x] : cursor.row(r)) squares[j] += double{x} * double{x};
  }
  return squares;
}

}  // namespace hogwild
