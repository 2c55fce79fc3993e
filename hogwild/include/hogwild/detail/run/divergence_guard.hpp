// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <hogwild/detail/run/rounds.hpp>
#include <hogwild/detail/task/training_task.hpp>

namespace hogwild {

/// Remembers the state of a store before an epoch of replicas, whose summed gains may overshoot if the curvature was
/// underestimated; then the epoch can be trained again with more frequent exchanges. Costs nothing for one worker, or
/// without replicas.
class divergence_guard {
 public:
  divergence_guard(const param_store& store, round_driver& rounds);

  /// Restores the remembered state and makes the workers change less between exchanges; returns what was done, as the
  /// end of a sentence. If replicas did not train the epoch, or the changes cannot be reduced further, it changes and
  /// returns nothing.
  std::optional<std::string> turn_back(double step);

 private:
  const param_store& store_;
  round_driver& rounds_;
  std::vector<std::byte> before_;  ///< parameters and optimiser state; empty: nothing to guard
  double scale_;
};

}  // namespace hogwild
