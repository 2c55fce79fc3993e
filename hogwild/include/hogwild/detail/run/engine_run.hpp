// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

#include <hogwild/result.hpp>

namespace hogwild {

class agreement;
class collective;
class param_store;
class run_planner;
class thread_team;
class training_task;
struct loop_plan;

/// Receives the notes of an engine run.
using note_function = std::function<void(std::string_view)>;

/// The workers of an engine, as the coordinator sees them: who runs the loop, and nothing else. The engine provides the
/// store that its workers train, because where the store lies depends on who they are.
class engine_run {
 public:
  virtual ~engine_run() = default;

  virtual std::string_view engine() const = 0;  ///< "serial", "threads", "processes"
  virtual std::size_t workers() const = 0;  ///< that train: those asked for, less those that a library did not grant
  virtual const param_store& store() const = 0;

  /// Called once, when parameters and state are in place and before the training clock starts, so that workers get
  /// ready.
  virtual void get_ready() {}
  /// Trains the round in the control block and returns when no worker trains any more. Tickets that were not finished
  /// because a worker died stay unmarked; the coordinator deals them out again.
  virtual void run_round() = 0;
  /// Called between rounds: later rounds train another task of the same model, on other rows, by this plan, which has
  /// no more chunks than the store was made for. Throws config_error for workers that cannot change tasks; threads can.
  virtual void take(const training_task&, const loop_plan&);
  /// After a round: a, with w = a * v for the stored v, if several processes had to agree on it; else a follows from
  /// how many tickets of this process were drawn.
  virtual std::optional<double> scale_after_round() const { return std::nullopt; }
  /// Called between rounds, before stored weights change their meaning (a new scale): when it returns, no worker is in
  /// the middle of a row any more.
  virtual void settle() {}
  /// Threads of this process for measuring and whole-array passes; free between rounds.
  virtual thread_team& helpers() = 0;
  /// The mean loss of the first `rows` training rows, with w = scale * v for the stored v, if the workers themselves
  /// can measure it; nothing if helpers() are to measure. Not a number if a stop was asked for meanwhile. Called
  /// between rounds. Throws a device's errors.
  virtual std::optional<double> train_loss(std::size_t, double /*scale*/, const std::stop_token&) {
    return std::nullopt;
  }
  /// Worker processes that died and were replaced so far.
  virtual std::size_t replaced() const { return 0; }
  /// Rows that were trained by dead or stopped workers which had not sent all their changes: an upper bound.
  virtual std::uint64_t rows_lost() const { return 0; }
  /// Statistics of the exchanges so far between several replicas in this process, if there are any.
  virtual std::optional<ring_report> ring() const { return std::nullopt; }
  /// Statistics of the messages so far between this process and others, if several train together.
  virtual std::optional<link_report> link() const { return std::nullopt; }
  /// Statistics of its workers' meetings so far, if they meet.
  virtual std::optional<meeting_report> meetings() const { return std::nullopt; }
  /// The devices that train, in the order of their workers' slots.
  virtual std::vector<device_report> devices() const { return {}; }
};

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
