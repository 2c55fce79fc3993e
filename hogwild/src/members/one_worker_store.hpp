// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include <hogwild/detail/run/engine_run.hpp>
#include <hogwild/detail/run/run_training.hpp>
#include <hogwild/detail/task/training_task.hpp>
#include <hogwild/engines.hpp>

namespace hogwild::detail {

/// A store with these parameters, for functions that measure or change a store; nobody trains it. The task must outlive
/// it.
inline std::unique_ptr<engine_run> store_with(const training_task& task, std::span<const float> parameters) {
  std::unique_ptr<engine_run> alone = start(serial_engine{}, task, task.plan(), {});
  task.begin(alone->store());
  task.assign(alone->store(), parameters);
  return alone;
}

}  // namespace hogwild::detail
