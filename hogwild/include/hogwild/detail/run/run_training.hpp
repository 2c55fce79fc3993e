// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hogwild/detail/optimization/schedule.hpp>
#include <hogwild/detail/run/prepare.hpp>
#include <hogwild/result.hpp>

namespace hogwild {

class any_engine;
struct resolved_run;

/// How a run's step falls from `initial`, which was `found` by a search or given.
step_schedule schedule_from(const train_options& options, const training_defaults& defaults, double initial,
                            bool found);

/// The run as it stands before an engine is asked: its options, and a step that is given, the model's or found by a
/// search, or a checkpoint's. Files that cannot be written are refused.
resolved_run begin_run(const prepared_task& ready);

/// Trains a task with an engine, which is used once: finds a step, has the engine decide how its workers share, runs
/// the epochs. What train() does for a model and an engine whose types it knows; throws as that.
train_result run_training(const prepared_task& ready, any_engine& engine);

}  // namespace hogwild
