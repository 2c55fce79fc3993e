// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <hogwild/engine_run.hpp>
#include <hogwild/thread_team.hpp>

// Who runs the worker loop. An engine is a plain struct of options with two functions: plan_sharing(engine, run)
// decides where its workers read and write, and says how many there will be; start(engine, task, plan, note) turns it
// into the engine's run that trains the task by the plan. An engine with several workers has a member `workers`.

namespace hogwild {

class collective;
class training_task;
struct loop_plan;
class run_planner;

/// What an engine's run may tell while it works.
using note_function = std::function<void(std::string_view)>;

/// An engine of any kind, as the coordinator takes it.
class any_engine {
 public:
  virtual ~any_engine() = default;

  /// The processes that train together with this one, as far as the engine knows of any; else null.
  virtual collective* ranks() const = 0;
  /// plan_sharing() of the engine, which from then on has as many workers.
  virtual std::size_t plan(run_planner& run) = 0;
  /// start() of the engine.
  virtual std::unique_ptr<engine_run> start_workers(const training_task& task, const loop_plan& plan,
                                                    const note_function& note) const = 0;
};

/// An engine of a type that is known.
template <class Engine>
class engine_of final : public any_engine {
 public:
  explicit engine_of(const Engine& engine) : engine_(engine) {}

  collective* ranks() const override {
    if constexpr (requires { engine_.ranks; }) return engine_.ranks;
    return nullptr;
  }
  std::size_t plan(run_planner& run) override {
    const std::size_t workers = plan_sharing(engine_, run);
    if constexpr (requires { engine_.workers; }) engine_.workers = workers;
    return workers;
  }
  std::unique_ptr<engine_run> start_workers(const training_task& task, const loop_plan& plan,
                                            const note_function& note) const override {
    return start(engine_, task, plan, note);
  }

 private:
  Engine engine_;
};

/// One worker, in the calling thread: the reference for all others.
struct serial_engine {};

/// Workers are threads of this process.
struct thread_engine {
  std::optional<std::size_t> workers{};  ///< > 0; default: as many as this process may use (topology.hpp)
  thread_team_kind team = thread_team_kind::openmp;
  bool pin = true;  ///< one CPU for each std thread; OpenMP follows OMP_PLACES and OMP_PROC_BIND
};

std::size_t plan_sharing(const serial_engine& engine, run_planner& run);
std::size_t plan_sharing(const thread_engine& engine, run_planner& run);

/// The task must outlive the engine's run.
std::unique_ptr<engine_run> start(const serial_engine& engine, const training_task& task, const loop_plan& plan,
                                  const note_function& note);
std::unique_ptr<engine_run> start(const thread_engine& engine, const training_task& task, const loop_plan& plan,
                                  const note_function& note);

}  // namespace hogwild
