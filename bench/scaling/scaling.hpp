// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "one_run.hpp"
#include "plan.hpp"
#include "rivals/rival.hpp"
#include "settings.hpp"

namespace hogwild::bench {

/// Failed: it trained, but not to the reference's quality. Skipped: it cannot be run here, which was known before.
/// Broken: it was to run, and ended with an error.
enum class point_state { measured, failed, skipped, broken };
std::string_view name_of(point_state state);

/// A configuration of ours and what became of it. Numbers of speed are there for a measured one only.
struct point_report {
  point what{};
  point_state state = point_state::measured;
  std::string reason{};  ///< why it was not measured
  std::vector<run_outcome> runs{};
  double reference_objective = 0.0;  ///< of the serial run with the same options
  double worst_gap = 0.0;            ///< largest |objective / reference - 1| of the runs
  double objective = 0.0;            ///< median of the runs
  double median_seconds = 0.0, min_seconds = 0.0, max_seconds = 0.0;  ///< an epoch, the first of each run left out
  double nonzeros_per_second = 0.0;                                   ///< at the median
};

/// A rival and what became of it; likewise.
struct rival_report {
  std::string model{};
  rival who{};
  point_state state = point_state::measured;
  std::string reason{};
  std::vector<rival_run> runs{};
  double median_command_seconds = 0.0;
  std::optional<double> median_epoch_seconds{}, min_epoch_seconds{};  ///< where it tells
  std::optional<double> nonzeros_per_second{};                        ///< at the median epoch
};

struct scaling_report {
  std::vector<model_settings> models;
  std::vector<point_report> points;
  std::vector<rival_report> rivals;
  std::size_t rounds = 0;  ///< runs of each configuration that the budget had room for
};

/// Whether everything that was to run ran, and every configuration of ours reached its quality. What rivals reach is
/// theirs.
bool is_sound(const scaling_report& report);

/// Runs the serial reference of each model, then all points and rivals in turn, `repeats` times over. Tells on standard
/// error how far it is.
scaling_report measure_scaling(const bench_options& options, const workload& data, std::size_t usable_cpus);

/// The options that a serial run settles on: a step is found where none was given. Throws what train() throws.
model_settings settle(const std::string& model, const bench_options& options, const workload& data);

}  // namespace hogwild::bench
