// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

namespace hogwild {

/// How far a run's objective has fallen, which is what every rule measures a rise or a fall by: an objective may be
/// negative, and a constant added to the loss of every row must not change what is decided. (Such a constant costs
/// digits: differences smaller than the rounding of the sums decide nothing.)
struct objective_fall {
  double start = HUGE_VAL;  ///< objective of the parameters that the model begins with; not finite: nobody measured it

  /// From the start to `objective`; 0 where it does not lie below, or there is no start.
  double down_to(double objective) const { return std::isfinite(start) ? std::max(start - objective, 0.0) : 0.0; }

  /// Whether an epoch from `before` to `after` gave back more than `fraction` of what had been gained before it. What
  /// is no number is worse than any.
  bool given_back(double before, double after, double fraction) const {
    return !(after <= before + fraction * down_to(before));
  }

  /// Whether an epoch from `before` to `after` gained no more than `fraction` of all that has been gained with it.
  bool flat(double before, double after, double fraction) const { return before - after <= fraction * down_to(after); }
};

}  // namespace hogwild
