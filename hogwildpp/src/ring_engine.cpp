// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/collectives/collective.hpp>
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/task/training_task.hpp>
#include <hogwild/detail/teams/thread_team.hpp>
#include <hogwildpp/ring_engine.hpp>

#include <string>
#include <utility>

#include <hogwild/detail/memory/private_memory.hpp>
#include <hogwild/detail/platform/placement.hpp>
#include <hogwild/detail/sharing/untrained.hpp>
#include <hogwild/detail/task/decorated_task.hpp>
#include <hogwild/engines.hpp>

#include "rank_ring.hpp"
#include "ring_hook.hpp"
#include "ring_merge.hpp"

namespace hogwild {

namespace {

/// A task as the workers of a ring train it: each on the parameters of its replica; the plan says how many there are.
class ring_task final : public decorated_task {
 public:
  using decorated_task::decorated_task;

  void work(const worker_context& at) const override {
    const exchange_options& ring = at.plan.options.exchange;
    if (ring.one_worker_each()) {
      detail::own_replica_hook node(at.store, at.slot, ring);
      worker_memory replica(at.store.ring_memory_of(detail::replica_of(at.slot, ring)));
      // A worker that joins beyond the planned number has no replica of its own, but takes its turns.
      return whole().work({at.plan, at.store, at.slot, at.slot < ring.workers ? replica : at.memory, &node});
    }
    const param_store replica = at.store.replica_view(detail::replica_of(at.slot, ring));
    with_update(at.plan.options.update, [&]<class Update>() {
      if constexpr (Update::kind != update_kind::locked) {
        const auto train = [&]<parameter T>() {
          detail::ring_hook<T, Update> node(at.store, at.slot, ring, facts_.groups);
          whole().work({at.plan, replica, at.slot, at.memory, &node});
        };
        facts_.scalar_bytes == sizeof(float) ? train.template operator()<float>() : train.template operator()<double>();
      } else {
        throw_unshared(at.plan.options);  // refused earlier, by the engine's plan
      }
    });
  }
};

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

  ring_task work_;
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
