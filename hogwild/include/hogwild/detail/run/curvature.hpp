// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include <hogwild/detail/data/sparse_view.hpp>

namespace hogwild {

/// The largest eigenvalue of X'X / n over the first rows of `data` (at most 2,000, and about 50,000 nonzeros), by 15
/// power iterations: within a few per cent of the truth, and on few rows above it. Times the smoothness it bounds the
/// curvature of the mean loss. A bias is one more column, whose value has the square `bias`, and the eigenvalue is no
/// less. Where a stop is asked for, it returns early, with a number that says little.
double largest_eigenvalue(const sparse_view& data, double bias = 0.0, const std::stop_token& stop = {});

/// The mean square of entries other than 0, over those rows; 0 where there are none.
double mean_square_of_entries(const sparse_view& data);

}  // namespace hogwild
