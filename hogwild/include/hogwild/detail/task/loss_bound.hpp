// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace hogwild {

/// What a convex mean loss is at least, whatever the parameters w and the constant terms:
///
///   mean loss >= at_zero + <slope, w>   and   mean loss >= least.
///
/// It is the sum of the tangents of the rows' losses at some margins, the optimum of the constant terms among them, so
/// that the slope by these is 0. All sums are in double.
struct loss_bound {
  double loss = 0.0;            ///< the mean loss at the parameters that it was made at
  double at_zero = 0.0;         ///< where all weights are 0
  double least = 0.0;           ///< may be minus infinity
  std::vector<double> slope{};  ///< one for each weight that l2 and l1 apply to
  std::size_t width = 1;        ///< so many weights make a row, of whose norm l1 is
};

}  // namespace hogwild
