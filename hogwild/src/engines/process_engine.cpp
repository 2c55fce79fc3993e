// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/task/training_task.hpp>
#include <hogwild/engines.hpp>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/collectives/segment.hpp>
#include <hogwild/detail/engines/worker_pool.hpp>
#include <hogwild/detail/memory/segment.hpp>
#include <hogwild/detail/run/run_planner.hpp>
#include <hogwild/detail/run/run_setup.hpp>
#include <hogwild/detail/teams/thread_team.hpp>
#include <hogwild/error.hpp>

#include "engines/live_segment.hpp"
#include "engines/ring_places.hpp"

namespace hogwild {

namespace {

/// Slots beyond the workers asked for: for replacements of workers that are stopped but alive, and for guests. In
/// lockstep nobody can take another worker's place.
std::size_t spare_slots(std::size_t workers, bool lockstep) {
  return lockstep ? 0 : workers + 16;
}

bool started_as_worker() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string line{std::istreambuf_iterator<char>(file), {}};
  return line.find(std::string(1, '\0') + worker_marker + '\0') != std::string::npos;
}

class process_run final : public engine_run {
 public:
  process_run(const process_engine& engine, std::size_t workers, const training_task& task, const loop_plan& plan,
              const note_function& note, std::string_view decorator)
      : task_(task),
        workers_(workers),
        helpers_(thread_team::make(thread_team_kind::std, workers, false)),
        data_(shareable(task.data())),
        store_(make_store(engine, task, plan, workers, decorator)),
        pool_(store_, engine, workers, plan.options.device_count, note) {}

  std::string_view engine() const override { return "processes"; }
  std::size_t workers() const override { return workers_; }
  const param_store& store() const override { return store_; }
  thread_team& helpers() override { return *helpers_; }
  void settle() override { pool_.end_stopped(); }
  std::size_t replaced() const override { return pool_.replaced(); }
  std::uint64_t rows_lost() const override { return pool_.rows_lost(); }

  void get_ready() override {
    store_.open_for_workers();
    guarded([this] { pool_.start(); });
  }
  void run_round() override {
    guarded([this] { pool_.run_round(); });
  }

 private:
  /// A worker can report only that the dataset is damaged; this process checks it to find out where.
  template <class F>
  void guarded(const F& f) {
    try {
      f();
    } catch (const cache_error&) {
      task_.data().ensure(0, task_.data().rows());
      // It has changed since this process checked it.
      std::error_code unknown;
      const std::filesystem::path link = std::filesystem::read_symlink(data_path(), unknown);
      const std::string where = unknown ? data_path() : link.string();
      throw cache_error(where, where +
                                   ": a worker process found the cache damaged; delete it and open the source again, "
                                   "which writes a new one");
    }
  }

  /// Worker processes map the rows from a file; rows in private memory are copied to one.
  static std::optional<sparse_dataset> shareable(const sparse_view& data) {
    if (data.source != nullptr && !data.source->shared_path().empty()) return std::nullopt;
    return sparse_dataset::copy_of(data);
  }

  param_store make_store(const process_engine& engine, const training_task& task, const loop_plan& plan,
                         std::size_t workers, std::string_view decorator) const {
    const std::span<const double> values = task.labels().values();
    const std::vector<std::byte>& model = task.facts().model_bytes;
    const std::vector<int> cpus = allowed_cpus();
    const run_setup setup{.options = plan.options,
                          .first_row = data_ ? 0 : task.data().first_row,
                          .rows = task.data().rows(),
                          .pin = engine.pin ? 1u : 0u,
                          .labels = task.labels().kind(),
                          .workers = static_cast<std::uint32_t>(workers),
                          .lanes = task.facts().lanes,
                          .place = task.data().first_row,
                          .decorator = std::string(decorator),
                          .data_path = data_path(),
                          .cpus = {cpus.begin(), cpus.end()},
                          .label_values = {values.begin(), values.end()},
                          .degree = degree_of_part(task.data()),
                          .model = model,
                          .weight = task.data().weight,
                          .offset = task.data().offset,
                          .id = data_ ? data_->view().id : task.data().id};
    const std::vector<std::byte> bytes = setup.encode();
    const bool lockstep = in_lockstep(plan.options.sharing);
    store_shape shape = task.shape(plan, workers, spare_slots(workers, lockstep), bytes.size());
    if (lockstep) shape.meeting_bytes = segment_group_layout({.members = workers}).total;
    // Replicas that meet at the ends of rounds have nothing to read in between, and several models are not one model.
    const bool live = decorator.empty() && !lockstep && plan.options.exchange.replicas < 2 && task.facts().lanes == 0;
    const std::vector<std::byte> description = live ? detail::live_description_of(task) : std::vector<std::byte>();
    if (live) detail::make_room(shape, description);
    const std::string name = engine.segment.empty() ? unique_segment_name() : engine.segment;
    param_store store =
        param_store::create(name, shape, task.facts().model, detail::nodes_of(detail::places_of(plan.options, cpus)));
    if (live) detail::describe(store, description);
    std::memcpy(store.setup().data(), bytes.data(), bytes.size());
    return store;
  }

  std::string data_path() const { return data_ ? data_->shared_path() : task_.data().source->shared_path(); }

  /// The coordinator's counts: it may train on a part of the rows, or hold counts of more rows. Empty if they equal the
  /// dataset's.
  std::vector<std::uint32_t> degree_of_part(const sparse_view& rows) const {
    if (data_ || std::ranges::equal(sparse_dataset::map(data_path()).view().degree, rows.degree)) return {};
    return {rows.degree.begin(), rows.degree.end()};
  }

  const training_task& task_;
  std::size_t workers_;
  std::unique_ptr<thread_team> helpers_;
  std::optional<sparse_dataset> data_;
  param_store store_;
  worker_pool pool_;
};

}  // namespace

std::size_t plan_sharing(const process_engine& engine, run_planner& run) {
  return run.decide_sharing(run.count_workers(engine.workers), {.storage = engine.storage});
}

std::unique_ptr<engine_run> start(const process_engine& engine, const training_task& task, const loop_plan& plan,
                                  const note_function& note, std::string_view decorator) {
  if (started_as_worker()) {
    throw config_error(
        "this process was started as a worker, but came to train(): call hogwild::worker_main first thing "
        "in main, with the model's type");
  }
  if (task.facts().model_bytes.empty()) {
    throw config_error(
        "the model " + std::string(task.facts().model) +
        " is not trivially copyable, so its object cannot be handed to other processes; keep plain values in it, "
        "or use the thread engine");
  }
  return std::make_unique<process_run>(engine, worker_count(engine.workers), task, plan, note, decorator);
}

}  // namespace hogwild
