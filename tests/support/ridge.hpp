// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "support/toy_data.hpp"

namespace hogwild::test {

/// The least value of mean((w.x - y)^2) / 2 + l2/2 ||w||^2, by the normal equations: an oracle for small problems.
inline double ridge_optimum(const toy_rows& data, double l2) {
  const std::size_t d = data.columns;
  const auto n = static_cast<double>(data.rows());
  std::vector<std::vector<double>> a(d, std::vector<double>(d + 1));
  for (std::size_t j = 0; j < d; ++j) a[j][j] = l2;
  for (std::size_t r = 0; r < data.rows(); ++r) {
    for (std::size_t k = data.row_start[r]; k < data.row_start[r + 1]; ++k) {
      const auto x = static_cast<double>(data.value[k]) / n;
      for (std::size_t i = data.row_start[r]; i < data.row_start[r + 1]; ++i) {
        a[data.index[k]][data.index[i]] += x * static_cast<double>(data.value[i]);
      }
      a[data.index[k]][d] += x * static_cast<double>(data.label[r]);
    }
  }
  for (std::size_t p = 0; p < d; ++p) {  // positive definite: no pivoting needed
    for (std::size_t i = 0; i < d; ++i) {
      if (i == p) continue;
      const double factor = a[i][p] / a[p][p];
      for (std::size_t k = p; k <= d; ++k) a[i][k] -= factor * a[p][k];
    }
  }
  std::vector<double> w(d);
  double objective = 0.0;
  for (std::size_t j = 0; j < d; ++j) w[j] = a[j][d] / a[j][j], objective += 0.5 * l2 * w[j] * w[j];
  for (std::size_t r = 0; r < data.rows(); ++r) {
    const double e = planted_score(data, r, w) - static_cast<double>(data.label[r]);
    objective += 0.5 * e * e / n;
  }
  return objective;
}

}  // namespace hogwild::test
