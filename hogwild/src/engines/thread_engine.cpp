// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/memory/private_memory.hpp>
#include <hogwild/engines.hpp>

#include <string>
#include <utility>
#include <vector>

#include <hogwild/detail/platform/topology.hpp>
#include <hogwild/detail/run/run_planner.hpp>
#include <hogwild/detail/task/training_task.hpp>
#include <hogwild/detail/teams/thread_team.hpp>
#include <hogwild/error.hpp>

#include "engines/live_segment.hpp"
#include "engines/ring_places.hpp"

namespace hogwild {

namespace {

/// Threads on one store in private memory; with a team of one it is the serial engine.
class thread_run final : public engine_run {
 public:
  thread_run(std::string_view engine, std::unique_ptr<thread_team> threads, const training_task& task,
             const loop_plan& plan, const ring_placement& places, bool pin, const std::string& segment,
             note_function note = {})
      : engine_(engine),
        threads_(std::move(threads)),
        note_(std::move(note)),
        granted_(threads_->size()),
        task_(&task),
        plan_(plan),
        store_(make_store(task, task.shape(plan, threads_->size(), 0, 0), places, segment)),
        memory_(threads_->size()),
        cpus_(threads_->size()) {
    for (std::size_t i = 0; pin && !places.replicas.empty() && i < cpus_.size(); ++i) {
      const std::span<const int> own = places.cpus_of(i);
      cpus_[i].assign(own.begin(), own.end());
    }
    for (worker_slot& slot : store_.slots()) {
      slot.state = worker_state::active;
      slot.generation = 1;
    }
  }

  std::string_view engine() const override { return engine_; }
  std::size_t workers() const override { return granted_; }
  const param_store& store() const override { return store_; }
  /// A library starts its threads at their first use.
  void get_ready() override {
    take_granted(threads_->run([](std::size_t) {}));
  }
  void run_round() override {
    take_granted(threads_->run([this](std::size_t worker) {
      // Some of the threads belong to the program or to another library: their binding is restored.
      const thread_binding near_its_replica(cpus_[worker]);
      task_->work({plan_, store_, worker, memory_[worker], nullptr});
    }));
  }
  void take(const training_task& task, const loop_plan& plan) override {
    task_ = &task;
    plan_ = plan;
  }
  thread_team& helpers() override { return *threads_; }

 private:
  static param_store make_store(const training_task& task, store_shape shape, const ring_placement& places,
                                const std::string& segment) {
    if (!segment.empty()) {
      const std::vector<std::byte> description = detail::live_description_of(task);
      detail::make_room(shape, description);
      param_store store = param_store::create(segment, shape, task.facts().model);
      detail::describe(store, description);
      return store;
    }
    const memory_source source = task.store_memory();
    return source ? param_store::in_memory(shape, source) : param_store::in_memory(shape, detail::nodes_of(places));
  }

  void take_granted(std::size_t threads) {
    const bool fewer = threads < std::exchange(granted_, threads);  // whether or not there is anybody to tell
    if (fewer && note_)
      note_("the library granted " + std::to_string(threads) + " of " + std::to_string(threads_->size()) + " threads");
  }

  std::string_view engine_;
  std::unique_ptr<thread_team> threads_;
  note_function note_;
  std::size_t granted_;  ///< in the last round
  const worker_side* task_;
  loop_plan plan_;
  param_store store_;
  std::vector<worker_memory> memory_;
  std::vector<std::vector<int>> cpus_;  ///< for each worker of a ring; else none
};

}  // namespace

void engine_run::take(const training_task&, const loop_plan&) {
  throw config_error("a stream is trained by the serial engine or by threads: choose one of them");
}

std::size_t plan_sharing(const serial_engine&, run_planner& run) {
  return run.decide_sharing(1);
}

std::size_t plan_sharing(const thread_engine& engine, run_planner& run) {
  return run.decide_sharing(run.count_threads(engine.workers, engine.team), {.storage = engine.storage});
}

std::unique_ptr<engine_run> start(const serial_engine&, const training_task& task, const loop_plan& plan,
                                  const note_function&) {
  return std::make_unique<thread_run>("serial", thread_team::make(thread_team_kind::std, 1, false), task, plan,
                                      ring_placement{}, false, "");
}

std::unique_ptr<engine_run> start(const thread_engine& engine, const training_task& task, const loop_plan& plan,
                                  const note_function& note) {
  const ring_placement places = detail::places_of(plan.options, allowed_cpus());
  const bool bound = engine.team == thread_team_kind::openmp && openmp_binds();
  const bool on_ring = !places.replicas.empty();
  return std::make_unique<thread_run>(
      "threads", thread_team::make(engine.team, worker_count(engine.workers), engine.pin && !on_ring), task, plan,
      places, engine.pin && !bound, engine.segment, note);
}

}  // namespace hogwild
