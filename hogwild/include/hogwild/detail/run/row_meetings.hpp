// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <hogwild/detail/data/sparse_view.hpp>

namespace hogwild {

/// How often rows have columns in common, on which the analysis of Hogwild! depends (Recht, Re, Wright, Niu: Hogwild!:
/// A Lock-Free Approach to Parallelizing Stochastic Gradient Descent, 2011, section 2), with a row for an edge and a
/// column for a node.
struct row_meetings {
  std::uint64_t omega = 0;  ///< entries of the longest row
  double delta = 0.0;       ///< largest fraction of rows that contain one column
  double rho = 0.0;  ///< largest fraction of rows that share a column with one row, over the rows that were examined
  double conflict_rate = 0.0;     ///< probability that two rows drawn at random share a column
  double error = 0.0;             ///< of the last two, either way, with a probability of 95 per cent; 0: exact
  std::size_t looked_at = 0;      ///< rows that were compared
  std::size_t compared_with = 0;  ///< rows with which each was compared
};

/// Omega and Delta of all rows. For rho at most 64 rows (half of them drawn at random, half those with the most
/// frequent columns of a sample) are compared with a sample of about a million nonzeros, at most 4,096 rows. Depends on
/// the data alone. There must be rows.
row_meetings measure_meetings(const sparse_view& data);

}  // namespace hogwild
