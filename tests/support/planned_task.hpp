// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/memory/private_memory.hpp>
#include <hogwild/detail/run/engine_run.hpp>
#include <hogwild/detail/run/resolved_run.hpp>
#include <hogwild/detail/task/training_task.hpp>
#include <hogwild/detail/teams/thread_team.hpp>

namespace hogwild::test {

/// The plan of a task under the options that were asked for, with this sharing.
inline loop_plan plan_of(const training_task& task, access_kind kind, const exchange_options& exchange) {
  loop_options decided = task.options();
  decided.sharing = kind;
  decided.exchange = exchange;
  return task.plan(decided);
}

/// A task with a plan made by the test; in a run the engine decides it.
struct planned_task {
  std::unique_ptr<training_task> task;
  loop_plan plan;

  planned_task(std::unique_ptr<training_task> made) : task(std::move(made)), plan(task->plan()) {}

  void set_sharing(access_kind kind, const exchange_options& exchange) { plan = plan_of(*task, kind, exchange); }
  /// Trains the epochs of a run with this plan.
  train_result train(engine_run& who, resolved_run run) const {
    run.plan = plan;
    return train_epochs(*task, who, run);
  }
  store_shape shape(std::size_t workers, std::size_t spare = 0) const { return task->shape(plan, workers, spare, 0); }

  const training_task& operator*() const { return *task; }
  const training_task* operator->() const { return task.get(); }
};

}  // namespace hogwild::test
