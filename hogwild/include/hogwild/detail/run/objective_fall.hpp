// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

namespace hogwild {

/// How far a run's objective has fallen: every rule measures rises and falls relative to this, because an objective may
/// be negative, and a constant added to the loss of every row must not change decisions. (Such a constant costs digits:
/// differences below the rounding of the sums decide nothing.)
struct objective_fall {
  double start = HUGE_VAL;  ///< the objective of the model's initial parameters; not finite: not measured

  /// The fall from the start to `objective`; 0 if it is not below the start, or there is no start.
  double down_to(double objective) const { return std::isfinite(start) ? std::max(start - objective, 0.0) : 0.0; }

  /// Whether an epoch from `before` to `after` gave back more than `fraction` of the gain before it. A value that is
  /// not a number is worse than any.
  bool given_back(double before, double after, double fraction) const {
    return !(after <= before + fraction * down_to(before));
  }

  /// Whether an epoch from `before` to `after` gained no more than `fraction` of the total gain including its own.
  bool flat(double before, double after, double fraction) const { return before - after <= fraction * down_to(after); }
};

}  // namespace hogwild
