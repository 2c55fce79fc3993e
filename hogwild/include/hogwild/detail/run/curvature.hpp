// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include <hogwild/detail/data/sparse_view.hpp>

namespace hogwild {

/// The largest eigenvalue of X'X / n over the first rows of `data` (at most 2,000, and about 50,000 nonzeros), by 15
/// power iterations: within a few per cent of the truth, and on few rows above it. Times the smoothness it bounds the
/// curvature of the mean loss. A bias is one more column, of ones: it makes the eigenvalue at least 1.
/// Where a stop is asked for, it returns early, with a number that says little.
double largest_eigenvalue(const sparse_view& data, bool bias = false, const std::stop_token& stop = {});

}  // namespace hogwild
