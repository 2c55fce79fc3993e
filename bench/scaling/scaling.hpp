// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "one_run.hpp"
#include "plan.hpp"

namespace hogwild::bench {

enum class point_state { measured, failed, skipped };
std::string_view name_of(point_state state);

/// A configuration and what became of it. Numbers of speed are there for a measured one only.
struct point_report {
  point what;
  point_state state = point_state::measured;
  std::string reason{};  ///< why it failed or was skipped
  std::vector<run_outcome> runs{};
  double reference_objective = 0.0;  ///< of the serial run with the same options
  double worst_gap = 0.0;            ///< largest |objective / reference - 1| of the runs
  double median_seconds = 0.0, min_seconds = 0.0, max_seconds = 0.0;  ///< an epoch, the first of each run left out
  double nonzeros_per_second = 0.0;                                   ///< at the median
};

/// The options that the serial reference settled on for a model.
struct model_settings {
  std::string model;
  double step = 0.0, decay = 1.0, l2 = 0.0, objective = 0.0;
};

struct scaling_report {
  std::vector<model_settings> models;
  std::vector<point_report> points;
};

/// Runs the serial reference of each model, then all points in turn, `repeats` times over. Tells on standard error how
/// far it is.
scaling_report measure_scaling(const bench_options& options, const workload& data, std::size_t usable_cpus);

/// The options that a serial run settles on: a step is found where none was given. Throws what train() throws.
model_settings settle(const std::string& model, const bench_options& options, const workload& data);

}  // namespace hogwild::bench
