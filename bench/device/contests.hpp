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

/// One way to train a workload, from its beginning to its last epoch.
struct contestant {
  std::string name;
  std::size_t workers = 0;  ///< on the CPU
  bool device = false;
  training_way way{};
};

/// The CPU's workers, the device by itself and beside workers, under both update policies; for ratings also the device
/// by itself with factors in half storage.
std::vector<contestant> contestants(const workload& work, std::size_t cpus);

/// The result of a run. Seconds are of training (result.hpp), including copies to and from a device, but not the time
/// that a process takes to open it.
struct contest {
  std::string state = "measured";  ///< failed: its gap is above the tolerance; broken: it ended with an error
  std::string reason{};            ///< why it was not measured
  double gap = 0;                  ///< how far its objective is above the serial one's, as a fraction of that
  double rows_per_second = 0;      ///< in the median epoch, without the first
  std::optional<double> seconds_to_target{};
  train_result result{};
};

/// A run of one worker alone, with which the others are compared.
struct reference {
  double objective = 0, target = 0;
  train_result result{};
  double rows_per_second = 0;
};

/// `target_gap`: how far the target for timing the others is above this run's objective, as a fraction of it.
reference train_reference(const workload& work, double target_gap, const std::stop_token& stop);

/// Reports an error of the run in the result; throws exit_code::interrupted if a stop was requested.
contest train_contestant(const workload& work, const contestant& who, int device, const reference& by, double tolerance,
                         const std::stop_token& stop);

}  // namespace hogwild::bench
