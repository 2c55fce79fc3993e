// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/collectives/collective.hpp>
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/task/training_task.hpp>
#include <hogwild/engines.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/detail/collectives/agreement.hpp>
#include <hogwild/detail/collectives/nested.hpp>
#include <hogwild/detail/collectives/segment.hpp>
#include <hogwild/detail/collectives/thread.hpp>
#include <hogwild/detail/options/same_on_ranks.hpp>
#include <hogwild/detail/run/rounds.hpp>
#include <hogwild/detail/teams/thread_team.hpp>
#include <hogwild/error.hpp>

#include "engines/sync_task.hpp"

namespace hogwild {

namespace {

/// Array k of what a store trains: the parameters (0) and its state (from 1 on), as bytes.
std::span<std::byte> bytes_of(const param_store& store, std::size_t k) {
  const auto as_bytes = [&]<parameter T>() {
    return std::as_writable_bytes(k == 0 ? store.parameters<T>() : store.state<T>(k - 1));
  };
  return store.shape().scalar_bytes == sizeof(float) ? as_bytes.template operator()<float>()
                                                     : as_bytes.template operator()<double>();
}

/// Equal to the bit, but any NaN equals any other, for runs that diverged.
template <parameter T>
bool same(std::span<const T> a, std::span<const T> b) {
  if (std::memcmp(a.data(), b.data(), a.size_bytes()) == 0) return true;
  return std::ranges::equal(
      a, b, [](T x, T y) { return (std::isnan(x) && std::isnan(y)) || std::memcmp(&x, &y, sizeof x) == 0; });
}

bool same_array(const param_store& a, const param_store& b, std::size_t k) {
  const auto as = [&]<parameter T>() {
    return k == 0 ? same<T>(a.parameters<T>(), b.parameters<T>()) : same<T>(a.state<T>(k - 1), b.state<T>(k - 1));
  };
  return a.shape().scalar_bytes == sizeof(float) ? as.template operator()<float>() : as.template operator()<double>();
}

/// The threads of this process as members of one group: of this process's threads, or of all processes' threads if
/// there are several, in the kind of group that the engine asks for.
std::vector<std::unique_ptr<collective>> all_members(thread_group& group, const sync_engine& engine,
                                                     std::chrono::nanoseconds timeout) {
  std::vector<std::unique_ptr<collective>> members;
  for (std::size_t rank = 0; rank < group.size(); ++rank) members.push_back(group.join(rank));
  if (!agreement(engine.ranks).alone()) members = nest(std::move(members), *engine.ranks);
  return engine.join_members ? engine.join_members(std::move(members), timeout) : std::move(members);
}

/// The ranks of this process: threads of one group.
struct rank_threads {
  rank_threads(const sync_engine& engine, const training_task& whole, const loop_plan& plan)
      : group(worker_count(engine.workers), {.timeout = detail::timeout_of(plan.options)}),
        work(whole, all_members(group, engine, detail::timeout_of(plan.options))) {}

  thread_group group;
  detail::sync_task work;
};

/// Threads or processes in lockstep; the coordinator sees the first rank's parameters, which are equal to all others'.
class sync_run final : public engine_run {
 public:
  sync_run(const sync_engine& engine, const training_task& task, const loop_plan& plan, const note_function& note)
      : name_(plan.options.sharing == access_kind::gathered ? "all_reduce" : "local_sgd"),
        processes_(engine.ranks),
        chunks_(plan.chunks) {
    if (engine.transport == transport_kind::shared_segment) {
      // Each process makes its own rank.
      members_ = start(
          process_engine{
              .workers = engine.workers, .pin = engine.pin, .program = engine.program, .arguments = engine.arguments},
          task, plan, note, lockstep_workers);
      return;
    }
    threads_ = std::make_unique<rank_threads>(engine, task, plan);
    // A library that granted fewer threads would leave the others waiting.
    members_ = start(thread_engine{.workers = engine.workers, .team = thread_team_kind::std, .pin = engine.pin},
                     threads_->work, plan, note);
  }

  std::string_view engine() const override { return name_; }
  std::size_t workers() const override { return members_->workers(); }
  const param_store& store() const override { return members_->store(); }
  void get_ready() override {
    detail::require_same_beginning(store().state_of_training(), processes_);
    members_->get_ready();
  }
  std::optional<double> scale_after_round() const override { return scale_after_; }
  void settle() override { members_->settle(); }
  thread_team& helpers() override { return members_->helpers(); }
  std::size_t replaced() const override { return members_->replaced(); }

  std::optional<meeting_report> meetings() const override {
    // One rank's counts hold for all: no rank is at a meeting without the others.
    const worker_slot& first = store().slots()[0];
    meeting_report all{.ranks = workers() * processes_.size(),
                       .dense = first.dense_meetings.get(),
                       .sparse = first.sparse_meetings.get(),
                       .bytes = first.meeting_bytes.get()};
    for (const worker_slot& slot : store().slots())
      all.seconds += static_cast<double>(slot.meeting_ns.get()) * 1e-9 / static_cast<double>(workers());
    return all;
  }

  void run_round() override {
    const std::uint64_t before = rows_here();
    for_each_rank(
        [](std::span<std::byte> mine, std::span<std::byte> common) { std::ranges::copy(common, mine.begin()); });
    train_on_all();
    for (std::size_t rank = 1; rank < workers(); ++rank) require_equal(rank);
    const param_store first = store().replica_view(0);
    for (std::size_t k = 0; k <= store().shape().state_arrays; ++k)
      std::ranges::copy(bytes_of(first, k), bytes_of(store(), k).begin());
    if (processes_.alone()) return;
    processes_.require_equal(store().state_of_training(), "parameters after a round; please report it");
    const scaled_l2& l2 = store().control().round.l2;
    scale_after_ = l2.at(l2.position + processes_.sum(static_cast<double>(rows_here() - before)));
    close_round(store(), chunks_);  // a rank that was stopped halfway skips the rest; the others know
  }

 private:
  std::uint64_t rows_here() const { return rows_trained(store().slots()); }

  /// If a rank fails, the others throw, too; this throws the error of the rank that failed.
  void train_on_all() {
    try {
      members_->run_round();
    } catch (...) {
      const std::exception_ptr first = threads_ != nullptr ? threads_->work.failure() : nullptr;
      if (first) std::rethrow_exception(first);
      throw;
    }
  }

  template <class F>
  void for_each_rank(const F& f) const {
    for (std::size_t rank = 0; rank < workers(); ++rank) {
      const param_store mine = store().replica_view(rank);
      for (std::size_t k = 0; k <= store().shape().state_arrays; ++k) f(bytes_of(mine, k), bytes_of(store(), k));
    }
  }

  /// This must hold whatever the data: a difference is a fault in the engine.
  void require_equal(std::size_t rank) const {
    const param_store first = store().replica_view(0), other = store().replica_view(rank);
    for (std::size_t k = 0; k <= store().shape().state_arrays; ++k) {
      if (same_array(first, other, k)) continue;
      throw worker_error("ranks 0 and " + std::to_string(rank) +
                         " of a synchronous run do not have the same parameters; please report it");
    }
  }

  std::string_view name_;
  agreement processes_;
  std::optional<double> scale_after_;  ///< set if there are several processes
  chunk_plan chunks_;
  std::unique_ptr<rank_threads> threads_;  ///< null if the ranks are processes
  std::unique_ptr<engine_run> members_;
};

}  // namespace

std::unique_ptr<training_task> detail::as_rank(std::unique_ptr<training_task> whole, const joined_worker& place) {
  const collective_options options{.timeout = timeout_of(place.plan.options)};
  auto member = join_segment_group(place.store.bytes(), place.store.meeting_offset(), {.members = place.workers},
                                   place.slot, options);
  return std::make_unique<sync_task>(std::move(whole), std::move(member));
}

std::unique_ptr<engine_run> start(const sync_engine& engine, const training_task& task, const loop_plan& plan,
                                  const note_function& note) {
  return std::make_unique<sync_run>(engine, task, plan, note);
}

}  // namespace hogwild
