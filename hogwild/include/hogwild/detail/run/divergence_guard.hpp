// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <hogwild/detail/run/rounds.hpp>
#include <hogwild/detail/task/training_task.hpp>

namespace hogwild {

/// Remembers the state of a store before an epoch that may have to be trained again: the summed gains of replicas may
/// overshoot if the curvature was underestimated, and a step that suits a sample of the rows may be too large for
/// others if the curvature has no known bound. Costs nothing in other runs.
class divergence_guard {
 public:
  /// `step_is_guess`: resolved_run::step_is_guess.
  divergence_guard(const param_store& store, round_driver& rounds, bool step_is_guess = false);

  /// Restores the remembered state and makes the workers change less between exchanges; returns what was done, as the
  /// end of a sentence. If replicas did not train the epoch, or the changes cannot be reduced further, it changes and
  /// returns nothing.
  std::optional<std::string> turn_back(double step);
  /// Restores the remembered state if the step is a guess; returns whether it is.
  bool turn_back_for_step();

 private:
  void restore();

  const param_store& store_;
  round_driver& rounds_;
  bool step_is_guess_;
  std::vector<std::byte> before_;  ///< parameters and optimiser state; empty: nothing to guard
  double scale_;
};

}  // namespace hogwild
