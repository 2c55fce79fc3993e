// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/result.hpp>

#include "workloads.hpp"

namespace hogwild::bench {

/// Who trains a workload, from its beginning to its last epoch.
struct contestant {
  std::string name;
  std::size_t workers = 0;  ///< on the CPU
  bool device = false;
  training_way way{};
};

/// The CPU's workers, the device by itself and beside workers, under both policies; of ratings the device by itself
/// with factors in half storage, too.
std::vector<contestant> contestants(const workload& work, std::size_t cpus);

/// What became of a run. Seconds are of training (result.hpp), copies to and from a device among them, and what a
/// process takes to open it not.
struct contest {
  std::string state = "measured";  ///< failed: its loss is outside the band; broken: it ended with an error
  std::string reason{};            ///< where it was not measured
  double gap = 0;                  ///< of its objective, by which it is above the serial one's, as a fraction of that
  double rows_per_second = 0;      ///< in the median epoch but the first
  std::optional<double> seconds_to_target{};
  train_result result{};
};

/// One worker by itself: what the others are measured against.
struct reference {
  double objective = 0, target = 0;
  train_result result{};
  double rows_per_second = 0;
};

/// `target_gap`: how far above its objective, as a fraction of that, the target is that others are timed to.
reference train_reference(const workload& work, double target_gap, const std::stop_token& stop);

/// Never throws for what the run ends with; exit_code::interrupted where a stop was asked for.
contest train_contestant(const workload& work, const contestant& who, int device, const reference& by, double tolerance,
                         const std::stop_token& stop);

}  // namespace hogwild::bench
