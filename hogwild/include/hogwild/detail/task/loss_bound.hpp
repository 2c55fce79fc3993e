// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace hogwild {

/// A lower bound of a convex mean loss, for all parameters w and constant terms:
///
///   mean loss >= at_zero + <slope, w>   and   mean loss >= least.
///
/// It is the sum of the tangents of the rows' losses at some margins. The margins include the optimum of the constant
/// terms, so that the slope with respect to these is 0. All sums are in double.
struct loss_bound {
  double loss = 0.0;            ///< the mean loss at the parameters at which the bound was made
  double at_zero = 0.0;         ///< the bound where all weights are 0
  double least = 0.0;           ///< may be minus infinity
  std::vector<double> slope{};  ///< one for each weight that l2 and l1 apply to
  std::size_t width = 1;        ///< weights in a row, to whose norm l1 applies
};

}  // namespace hogwild
