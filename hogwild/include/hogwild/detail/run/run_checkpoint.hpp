// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <hogwild/detail/results/checkpoint.hpp>
#include <hogwild/detail/run/rank_checkpoints.hpp>
#include <hogwild/detail/run/resolved_run.hpp>
#include <hogwild/detail/run/rounds.hpp>
#include <hogwild/detail/run/run_course.hpp>
#include <hogwild/detail/run/stop_rules.hpp>
#include <hogwild/detail/run/tail_mean.hpp>
#include <hogwild/detail/task/training_task.hpp>
#include <hogwild/engines.hpp>
#include <hogwild/result.hpp>

namespace hogwild {

/// How far a run has come; with parameters, optimiser state and options this is enough to resume.
struct run_progress {
  std::uint64_t epoch = 0;                          ///< epochs finished
  std::uint64_t measured_epoch = 0;                 ///< the last of them that was measured
  double scale = 1.0;                               ///< w = scale * v
  double gain_weight = 1.0;                         ///< the weight with which the workers' gains are added
  std::uint64_t longest_exchange = unlimited_rows;  ///< in rows, as limited after gains that overshot
  double train_seconds = 0.0, wall_seconds = 0.0;
  std::uint64_t examples = 0, updates = 0, nonzeros = 0;
  objective_fall fall{};
  run_course course{};
  std::uint64_t step_overshoots = 0;  ///< 1: the step is too large even for one worker
  stop_rules rules{};
};

namespace detail {

/// How far a run of several models has come: the section of its checkpoint that others do not have.
struct several_progress {
  std::uint64_t measured_epoch = 0;  ///< the last one; 0: none
  double train_seconds = 0.0, wall_seconds = 0.0;
};
inline constexpr const char* several_section = "models";

}  // namespace detail

/// Parameters that are kept besides those being trained.
struct kept_parameters {
  std::vector<float> best{};      ///< of the best epoch by stop_rules; empty: none
  optimizer_state best_state{};   ///< with which the optimiser left these, if a run keeps it
  std::vector<double> optimum{};  ///< optimum_bound::state(); empty: not used
  tail_mean mean{};               ///< what a run with averaging returns
};

/// A copy of the state of a run's optimiser. `step`: that of its next epoch; `rows`: those that it has trained, once an
/// epoch.
optimizer_state state_of_optimizer(const param_store& store, const training_task& work, const loop_options& options,
                                   double step, double rows);

/// The options of a run, with what was decided in the place of what was not given.
train_options decided_options(train_options given, const loop_options& decided);

/// The state after an epoch.
checkpoint checkpoint_of(const param_store& store, const resolved_run& run, const training_task& work,
                         const run_progress& progress, const kept_parameters& kept);

/// The schedule of the run that wrote a checkpoint. Throws input_error if there is none.
step_schedule schedule_of_checkpoint(const checkpoint& file);

/// The most rows of its batches. Throws like schedule_of_checkpoint.
std::uint32_t batch_of_checkpoint(const checkpoint& file);

/// The last measured epoch of the run that wrote a checkpoint; nothing if it was not a run over epochs.
std::optional<std::uint64_t> measured_epoch_of_checkpoint(const checkpoint& file);

/// The fall of the objective in the run that wrote a checkpoint. Throws input_error if the checkpoint has none.
objective_fall fall_of_checkpoint(const checkpoint& file);

/// The l2 of the run that wrote a checkpoint. Throws like schedule_of_checkpoint.
double l2_of_checkpoint(const checkpoint& file);
/// The step of its bias divided by that of the columns. Throws likewise.
float bias_rate_of_checkpoint(const checkpoint& file);

/// Fills store, schedule and `kept` from a checkpoint. Throws input_error if a part of it is missing, config_error if
/// it was written by a run with other data, model or options (the number of epochs may differ if the decay was given).
run_progress load_progress(const resumed_checkpoint& from, const param_store& store, resolved_run& run,
                           const training_task& work, kept_parameters& kept);

}  // namespace hogwild
