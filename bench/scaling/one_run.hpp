// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include <hogwild/options.hpp>
#include <hogwild/result.hpp>

#include "plan.hpp"
#include "workload.hpp"

namespace hogwild::bench {

/// What one run of a configuration left behind.
struct run_outcome {
  std::vector<double> epoch_seconds{};        ///< training passes only, the first included
  std::optional<double> seconds_to_target{};  ///< training seconds; nothing where it was not reached or not asked for
  train_result result{};
};

/// The options that all configurations of a model share, but for the update policy and the way of sharing.
train_options common_options(const bench_options& options, const workload& data);

/// Trains once. `watch`, where there is one, is told how the run goes. Throws what train() throws, and
/// exit_code::interrupted where a stop was asked for.
run_outcome run_once(const point& what, const sparse_view& rows, const train_options& options,
                     const std::optional<target_option>& target = {}, observer* watch = nullptr);

}  // namespace hogwild::bench
