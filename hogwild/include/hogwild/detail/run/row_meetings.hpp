// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <hogwild/detail/data/sparse_view.hpp>

namespace hogwild {

/// How often rows have columns in common: what the analysis of Hogwild! depends on (Recht, Re, Wright, Niu: Hogwild!: A
/// Lock-Free Approach to Parallelizing Stochastic Gradient Descent, 2011, section 2), with a row for an edge and a
/// column for a node.
struct row_meetings {
  std::uint64_t omega = 0;        ///< entries of the longest row
  double delta = 0.0;             ///< largest fraction of the rows that one column occurs in
  double rho = 0.0;               ///< largest fraction of the rows that meet one row, of the rows that were looked at
  double conflict_rate = 0.0;     ///< chance that two rows drawn at random meet
  double error = 0.0;             ///< of the last two, either way, with a probability of 95 per cent; 0: none
  std::size_t looked_at = 0;      ///< rows whose meetings were counted
  std::size_t compared_with = 0;  ///< rows with each of which
};

/// Omega and Delta of all rows. For rho at most 64 rows (half of them drawn at random, half those with the most
/// frequent columns of a sample) are compared with a sample of about a million nonzeros, at most 4,096 rows. Depends on
/// the data alone. The data have rows.
row_meetings measure_meetings(const sparse_view& data);

}  // namespace hogwild
