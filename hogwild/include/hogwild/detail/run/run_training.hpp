// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/math/schedule.hpp>
#include <hogwild/detail/run/prepare.hpp>
#include <hogwild/result.hpp>

namespace hogwild {

class any_engine;
class time_limit;
struct resolved_run;
struct resumed_checkpoint;

/// The schedule of a run's step from `initial`, which was `found` by a search or given; `convex`: whether the model is
/// convex (task_facts::convex).
step_schedule schedule_from(const train_options& options, const training_defaults& defaults, bool convex,
                            double initial, bool found);

/// The run before its engine decides: its options, and its step, which is given, the model's, a checkpoint's, or found
/// by a search. If `limit` ends the search, no step is found. `from`: the checkpoint to resume from; null: the one that
/// the options name, if they do. Throws if files cannot be written.
resolved_run begin_run(const prepared_task& ready, std::shared_ptr<const time_limit> limit = nullptr,
                       std::shared_ptr<const resumed_checkpoint> from = nullptr);

/// An l2 that was chosen by folds before the run.
struct chosen_l2 {
  double l2 = 0.0;
  std::vector<tried_l2> tried{};  ///< empty: none was chosen
  std::chrono::steady_clock::time_point begun{};
  std::chrono::nanoseconds cpu_begun{};
};

/// Trains a task with an engine, which is used once: finds a step, has the engine decide how its workers share, runs
/// the epochs.
train_result run_training(const prepared_task& ready, any_engine& engine, const chosen_l2& chosen = {});

/// prepare() of a model.
using task_maker = std::function<prepared_task(const sparse_view& rows, const train_options& options)>;

/// Implements train() without the types of model and engine; throws as train(). If options ask for it, `workers`
/// threads first search for an l2; then it makes the task and trains it.
train_result run_training(const task_maker& make, const sparse_view& data, const train_options& options,
                          any_engine& engine, std::size_t workers);

}  // namespace hogwild
