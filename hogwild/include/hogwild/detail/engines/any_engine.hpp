// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include <hogwild/engines.hpp>

namespace hogwild {

/// An engine of any kind, as the coordinator sees it.
class any_engine {
 public:
  virtual ~any_engine() = default;

  /// The processes that train together with this one, if the engine knows of any; else null.
  virtual collective* ranks() const = 0;
  /// Throws rank_failure on all ranks unless their engines can train together.
  virtual void require_same_on(const agreement& ranks) const = 0;
  /// Calls plan_sharing() of the engine, which from then on has that many workers.
  virtual std::size_t plan(run_planner& run) = 0;
  /// Calls start() of the engine.
  virtual std::unique_ptr<engine_run> start_workers(const training_task& task, const loop_plan& plan,
                                                    const note_function& note) const = 0;
};

/// An engine of a known type.
template <class Engine>
class engine_of final : public any_engine {
 public:
  explicit engine_of(const Engine& engine) : engine_(engine) {}

  collective* ranks() const override {
    if constexpr (requires { engine_.ranks; }) return engine_.ranks;
    return nullptr;
  }
  void require_same_on([[maybe_unused]] const agreement& ranks) const override {
    if constexpr (requires { require_same_engine(engine_, ranks); }) require_same_engine(engine_, ranks);
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

}  // namespace hogwild
