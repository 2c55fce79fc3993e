// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/collectives/collective.hpp>
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/task/training_task.hpp>
#include <hogwild/detail/teams/thread_team.hpp>
#include <hogwildpp/ring_engine.hpp>

#include <string>
#include <utility>

#include <hogwild/detail/platform/placement.hpp>
#include <hogwild/engines.hpp>

#include "rank_ring_run.hpp"
#include "ring_merge.hpp"
#include "ring_task.hpp"

namespace hogwild {

namespace {

/// Threads or processes that train the replicas of a ring; the coordinator sees the merged model.
class ring_run final : public engine_run {
 public:
  ring_run(const thread_engine& engine, const training_task& task, const loop_plan& plan, const note_function& note)
      : work_(task), exchange_(plan.options.exchange), members_(start(engine, work_, plan, note)) {
    note_placement(note);
  }
  ring_run(const process_engine& engine, const training_task& task, const loop_plan& plan, const note_function& note)
      : work_(task), exchange_(plan.options.exchange), members_(start(engine, work_, plan, note, ring_workers)) {
    note_placement(note);
  }

  std::string_view engine() const override { return "ring"; }
  std::size_t workers() const override { return members_->workers(); }
  const param_store& store() const override { return members_->store(); }
  void get_ready() override { members_->get_ready(); }
  void run_round() override {
    const exchange_options& ring = exchange_;
    if (ring.one_worker_each()) {
      // The second one exchanges first (replica::begin_round).
      store().control().token.open(1);
      members_->run_round();
      return members_->settle();
    }
    detail::give_to_replicas(store(), ring, helpers());
    store().control().token.open(0);
    members_->run_round();
    // A worker that is stopped in the middle of an exchange would send again what is merged now.
    members_->settle();
    detail::merge_replicas(store(), ring, helpers());
  }
  std::optional<ring_report> ring() const override {
    ring_report all{.replicas = exchange_.replicas, .nodes = store().ring_nodes(), .memory = store().ring_memory()};
    for (const worker_slot& slot : store().slots()) {
      all.exchanges += slot.ring_exchanges.get();
      all.bytes += slot.ring_bytes.get();
      all.held_seconds += static_cast<double>(slot.ring_held_ns.get()) * 1e-9;
      all.waits += slot.ring_waits.get();
      all.taken_over += slot.ring_taken_over.get();
    }
    return all;
  }
  void settle() override { members_->settle(); }
  thread_team& helpers() override { return members_->helpers(); }
  std::size_t replaced() const override { return members_->replaced(); }
  std::uint64_t rows_lost() const override { return members_->rows_lost(); }

 private:
  /// Only if there was a choice.
  void note_placement(const note_function& note) const {
    const placed_memory memory = store().ring_memory();
    if (!note || memory == placed_memory::anywhere) return;
    note("the replicas lie on " + nodes_text(store().ring_nodes()) +
         (memory == placed_memory::bound
              ? ""
              : ", where threads have touched them first: the system refuses to bind memory"));
  }

  detail::ring_task work_;
  exchange_options exchange_;
  std::unique_ptr<engine_run> members_;
};

}  // namespace

std::unique_ptr<engine_run> start(const ring_engine& engine, const training_task& task, const loop_plan& plan,
                                  const note_function& note) {
  const thread_engine threads{.workers = engine.workers, .team = engine.team, .pin = engine.pin};
  const process_engine processes{
      .workers = engine.workers, .pin = engine.pin, .program = engine.program, .arguments = engine.arguments};
  if (engine.ranks != nullptr && engine.ranks->size() > 1) {
    ring_engine here = engine;
    here.ranks = nullptr;
    here.link = nullptr;
    return detail::join_ranks(start(here, task, plan, note), engine, task, plan);
  }
  const bool in_process = engine.transport == transport_kind::in_process;
  if (plan.options.exchange.replicas < 2)
    return in_process ? start(threads, task, plan, note) : start(processes, task, plan, note);
  if (in_process) return std::make_unique<ring_run>(threads, task, plan, note);
  return std::make_unique<ring_run>(processes, task, plan, note);
}

std::unique_ptr<training_task> detail::on_a_ring(std::unique_ptr<training_task> whole, const joined_worker&) {
  return std::make_unique<ring_task>(std::move(whole));
}

}  // namespace hogwild
