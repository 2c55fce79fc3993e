// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <hogwild/detail/data/row_cursor.hpp>

namespace hogwild {

/// The number of rows that contain each column. Columns are below data.columns. Rows that stream are read and released
/// piece by piece; others have passed ensure().
inline std::vector<std::uint32_t> count_columns(const sparse_view& data) {
  std::vector<std::uint32_t> degree(data.columns);
  row_cursor cursor(data);
  const bool streams = data.streams();
  const std::size_t at_once = streams ? 256 : data.rows();
  for (std::size_t first = 0; first < data.rows(); first += at_once) {
    const std::size_t last = std::min(first + at_once, data.rows());
    if (streams) data.ensure(first, last);
    for (std::size_t r = first; r < last; ++r)
      for (const std::uint32_t j : cursor.row(r).index) ++degree[j];
    if (streams) data.release(first, last);
  }
  return degree;
}

/// For each column a bound on how strongly it and the columns in the same rows curve the mean of squares of x.w: the
/// mean over rows of weight * |x_j| * (sum of |x_k| over the row). The diagonal matrix of these numbers bounds the
/// matrix of second moments (Gershgorin).
inline std::vector<double> column_couplings(const sparse_view& data) {
  std::vector<double> coupling(data.columns);
  row_cursor cursor(data);
  for (std::size_t r = 0; r < data.rows(); ++r) {
    const auto row = cursor.row(r);
    const double mean_of = double{row.weight} / static_cast<double>(data.rows());
    double sum = 0.0;
    for (const auto [j, x] : row) sum += std::abs(double{x});
    for (const auto [j, x] : row) coupling[j] += mean_of * std::abs(double{x}) * sum;
  }
  return coupling;
}

}  // namespace hogwild
