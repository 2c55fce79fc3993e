// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hogwild/detail/run/prepare.hpp>
#include <hogwild/result.hpp>

namespace hogwild {

class any_engine;

/// Trains a task with an engine, which is used once: finds a step, has the engine decide how its workers share, runs
/// the epochs. What train() does for a model and an engine whose types it knows; throws as that.
train_result run_training(const prepared_task& ready, any_engine& engine);

}  // namespace hogwild
