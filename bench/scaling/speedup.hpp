// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "scaling.hpp"

namespace hogwild::bench {

/// What several workers gain over our own best single one, under the same model and update policy.
struct speedup {
  point what{};
  double seconds = 0.0;               ///< median epoch
  double one_worker_seconds = 0.0;    ///< of the configuration with one worker whose median epoch is shortest
  std::string one_worker{};           ///< which one that is
  double ratio = 0.0;                 ///< one_worker_seconds / seconds
  double schedule_ratio = 0.0;        ///< the same over all epochs, of which replicas that average have more
  double objective_difference = 0.0;  ///< median objective / serial reference - 1
};

/// One for each measured point with more than one worker whose model has a measured point with one.
std::vector<speedup> speedups_of(const scaling_report& report);

}  // namespace hogwild::bench
