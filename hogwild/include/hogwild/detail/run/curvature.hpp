// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <stop_token>

#include <hogwild/detail/data/sparse_view.hpp>

namespace hogwild {

/// The largest eigenvalue of X'X / n over the first rows of `data` (at most 2,000, and about 50,000 nonzeros), by 15
/// power iterations: within a few per cent of the truth, and above it on few rows. Multiplied by the smoothness, it
/// bounds the curvature of the mean loss. A bias is one more column, whose value has the square `bias`; the eigenvalue
/// is at least that. After a request to stop it returns early, with an unreliable number.
double largest_eigenvalue(const sparse_view& data, double bias = 0.0, const std::stop_token& stop = {});

inline constexpr std::size_t fewest_first_rows = 1000;

/// The first rows of `data` that have about a million nonzeros, and at least `least` rows. Rows were shuffled at
/// ingest, so they are a fair sample.
sparse_view first_rows_of(const sparse_view& data, std::size_t least = fewest_first_rows);

/// Sizes of the nonzero entries.
struct entry_squares {
  double sum = 0.0, entries = 0.0, rows = 0.0;

  /// Mean squared norm of a row; 0 if there are no entries.
  double of_row() const { return rows == 0.0 ? 0.0 : sum / rows; }
  /// Mean square of an entry, or of a row if rows have less than one entry on the average.
  double of_entry() const { return rows == 0.0 ? 0.0 : sum / std::max(entries, rows); }
};

/// The squares of first_rows_of(data).
entry_squares squares_of_entries(const sparse_view& data);

/// The default l2 of a linear model: the mean squared norm of a row over the number of all rows, which is 1/n for rows
/// of norm 1. So its effect does not depend on the unit of the entries.
inline double usual_l2(const entry_squares& squares, std::size_t rows) {
  return (squares.sum == 0.0 ? 1.0 : squares.of_row()) / static_cast<double>(rows);
}

}  // namespace hogwild
