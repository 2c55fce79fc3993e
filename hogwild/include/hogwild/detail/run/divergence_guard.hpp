// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <hogwild/detail/run/rounds.hpp>
#include <hogwild/detail/task/training_task.hpp>

namespace hogwild {

/// Remembers a store as it is before an epoch of replicas, whose summed gains may overshoot where the curvature was
/// underestimated, so that the epoch can be trained again with exchanges more often. Costs nothing for one worker, and
/// where there are no replicas.
class divergence_guard {
 public:
  divergence_guard(const param_store& store, round_driver& rounds);

  /// Puts back what was there and has the workers change less between exchanges; returns what is done, as the end of a
  /// sentence. Nothing where this was no epoch of replicas, or there is no less to do: then nothing is changed.
  std::optional<std::string> turn_back(double step);

 private:
  const param_store& store_;
  round_driver& rounds_;
  std::vector<std::byte> before_;  ///< parameters and optimiser state; empty: nothing to guard
  double scale_;
};

}  // namespace hogwild
