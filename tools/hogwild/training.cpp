// SPDX-License-Identifier: Apache-2.0
#include "training.hpp"

#include <algorithm>
#include <chrono>
#include <concepts>
#include <deque>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <hogwild/cuda/engine.hpp>
#include <hogwild/cuda/on_devices.hpp>
#include <hogwild/detail/command/registered_training.hpp>
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/platform/topology.hpp>
#include <hogwild/detail/run/engine_run.hpp>
#include <hogwild/detail/teams/thread_team.hpp>
#include <hogwild/engines.hpp>
#include <hogwild/nccl/collective.hpp>
#include <hogwild/train.hpp>
#include <hogwild/trainer.hpp>
#include <hogwild/worker_main.hpp>
#include <hogwildpp/ring_engine.hpp>

#include "column_scales.hpp"
#include "model_from_request.hpp"

namespace hogwild::cli {
namespace {

std::deque<registered_training>& all_trainings() {
  static std::deque<registered_training> all;
  return all;
}

template <class Engine>
std::unique_ptr<any_engine> as_any(const Engine& engine) {
  return std::make_unique<engine_of<Engine>>(engine);
}

/// One device, by number, for each worker of this machine.
joining_function by_nccl(launched_ranks* ranks) {
  return [ranks](std::vector<std::unique_ptr<collective>> members, std::chrono::nanoseconds timeout) {
    const std::size_t before = ranks != nullptr ? ranks->rank_on_machine() * members.size() : 0;
    return join_nccl_members(std::move(members), static_cast<int>(before), {.timeout = timeout});
  };
}

/// The named devices, dealt one by one to the ranks of this machine.
std::vector<int> devices_of_rank(const train_request& request, launched_ranks* ranks) {
  if (ranks == nullptr || request.devices.empty()) return request.devices;
  const std::size_t sharing = ranks->size_on_machine();
  if (request.devices.size() < sharing)
    throw config_error(std::to_string(sharing) + " ranks of this machine train by devices, and --device names " +
                       std::to_string(request.devices.size()) + ": name at least one for each rank");
  std::vector<int> own;
  for (std::size_t k = ranks->rank_on_machine(); k < request.devices.size(); k += sharing)
    own.push_back(request.devices[k]);
  return own;
}

/// With devices each of them, and each worker beside them, has a replica by default.
std::unique_ptr<any_engine> make_ring(const train_request& request, launched_ranks* ranks) {
  const std::vector<int> own = devices_of_rank(request, ranks);
  const std::size_t devices = own.size();
  const std::size_t replicas = devices > 0 && request.replicas == 0 ? request.workers + devices : request.replicas;
  const ring_engine ring{.workers = unless_zero(request.workers + devices),
                         .replicas = unless_zero(replicas),
                         .rule = request.exchange,
                         .released = request.released,
                         .transport = request.transport,
                         .team = request.team,
                         .pin = request.pin,
                         .ranks = ranks != nullptr ? &ranks->all() : nullptr,
                         .link = ranks != nullptr ? &ranks->link() : nullptr,
                         .message_values = request.messages,
                         .timeout = request.rank_timeout};
  return devices > 0 ? as_any(on_devices<ring_engine>{ring, own}) : as_any(ring);
}

}  // namespace

void register_training(registered_training training) {
  register_descriptor(*training.descriptor);
  all_trainings().push_back(std::move(training));
}

const registered_training* find_training(std::string_view model) {
  for (const registered_training& each : all_trainings())
    if (each.descriptor->name() == model) return &each;
  return nullptr;
}

std::unique_ptr<any_engine> make_engine(const train_request& request, launched_ranks* ranks) {
  switch (request.engine) {
    case engine_name::serial:
      return as_any(serial_engine{});
    case engine_name::processes:
      return as_any(process_engine{.workers = unless_zero(request.workers),
                                   .pin = request.pin,
                                   .storage = request.storage,
                                   .segment = request.segment});
    case engine_name::ring:
      return make_ring(request, ranks);
    case engine_name::all_reduce:
    case engine_name::local_sgd:
      return as_any(
          sync_engine{.workers = unless_zero(request.workers),
                      .rule = request.engine == engine_name::all_reduce ? sync_rule::gradients : sync_rule::average,
                      .rows = request.sync_rows,
                      .scale_step = request.scale_step,
                      .transport = request.transport,
                      .pin = request.pin,
                      .ranks = ranks != nullptr ? &ranks->all() : nullptr,
                      .timeout = request.rank_timeout,
                      .join_members = request.nccl ? by_nccl(ranks) : joining_function()});
    case engine_name::cuda:
      return as_any(cuda_engine{.workers = request.workers,
                                .device = request.devices.empty() ? device_list(0) : device_list(request.devices),
                                .memory = request.memory,
                                .storage = request.storage,
                                .transport = request.transport,
                                .pin = request.pin});
    case engine_name::threads:
      break;
  }
  return as_any(thread_engine{.workers = unless_zero(request.workers),
                              .team = request.team,
                              .pin = request.pin,
                              .storage = request.storage,
                              .segment = request.segment});
}

namespace {

candidate candidate_for(train_request request, std::string_view name, engine_name engine, std::size_t workers) {
  request.engine = engine;
  request.workers = workers;
  candidate made{.engine = std::string(name), .workers = workers, .by = make_engine(request, nullptr), .twin = nullptr};
  made.in_lockstep = engine == engine_name::all_reduce || engine == engine_name::local_sgd;
  if (engine == engine_name::processes)
    made.twin = as_any(thread_engine{.workers = workers, .team = thread_team_kind::std, .pin = request.pin});
  return made;
}

std::vector<candidate> candidates_for(const train_request& request) {
  std::vector<candidate> all;
  all.push_back(candidate_for(request, "serial", engine_name::serial, 1));
  const std::size_t most = worker_count(unless_zero(request.workers));
  for (const auto& [name, engine] : engine_names) {
    if (engine == engine_name::serial || engine == engine_name::cuda) continue;
    // On one memory node the ring has one replica, which equals threads.
    if (engine == engine_name::ring && numa_nodes(allowed_cpus()) < 2) continue;
    for (std::size_t workers = 2; workers < most; workers *= 2)
      all.push_back(candidate_for(request, name, engine, workers));
    if (most > 1) all.push_back(candidate_for(request, name, engine, most));
  }
  return all;
}

task_maker maker_for(const named_model& m, collective* ranks) {
  return [&m, ranks](const sparse_view& rows, const train_options& o) { return prepare_named(m, rows, o, ranks); };
}

/// Workers that each train models of their own.
std::size_t threads_of(const train_request& request) {
  return request.engine == engine_name::serial ? 1 : worker_count(unless_zero(request.workers));
}

}  // namespace

prepared_task prepare_named(const named_model& m, const sparse_view& rows, const train_options& options,
                            collective* ranks) {
  const auto prepare_as = [&]<class M>(const M& concrete) {
    if constexpr (std::same_as<M, registered_model>)
      return find_training(concrete.object->descriptor().name())->prepare(*concrete.object, rows, options, ranks);
    else
      return prepare(concrete, rows, options, ranks);
  };
  return std::visit(prepare_as, m);
}

advice advise_on_engines(const named_model& m, const sparse_view& rows, const train_request& request,
                         const train_options& options) {
  std::vector<candidate> candidates = candidates_for(request);
  return advise(prepare_named(m, rows, options, nullptr), candidates);
}

train_result train_with_engine(const named_model& m, const sparse_view& rows, const train_request& request,
                               const train_options& options, launched_ranks* ranks) {
  if (request.several.any())
    return train_several_with_engine(m, rows, request, options, make_engine(request, nullptr),
                                     ranks != nullptr ? &ranks->all() : nullptr);
  const std::unique_ptr<any_engine> engine = make_engine(request, ranks);
  const auto train_on = [&](const sparse_view& these, const train_options& o) {
    return run_training(maker_for(m, engine->ranks()), these, o, *engine, threads_of(request));
  };
  if (request.scale == column_scaling::none) return train_on(rows, options);
  const divided_run divided(m, rows, request.scale, options, agreement(engine->ranks()));
  train_result result = train_on(divided.rows(), divided.options());
  divided.finish(result);
  return result;
}

train_result train_with_folds(const named_model& m, const rank_rows& rows, const train_request& request,
                              const train_options& options, launched_ranks* ranks, folds_outcome& outcome) {
  const folds_request& asked = request.folds;
  collective* const all = ranks != nullptr ? &ranks->all() : nullptr;
  const task_maker make_alone = maker_for(m, nullptr), make = maker_for(m, all);
  // A process that is alone holds all rows in its part, except those that it holds back.
  const sparse_view rows_of_folds = ranks != nullptr ? rows.data.view() : rows.part;
  // Fails before the folds are trained if the requested engine is not available.
  std::unique_ptr<any_engine> first = make_engine(request, ranks);
  if (asked.path.empty()) {
    if (options.l2_by_folds && !options.resume.empty())
      return run_training(make(rows.part, detail::with_resumed_l2(options, all)), *first);
    if (options.l2_by_folds) {
      const chosen_l2 chosen = detail::choose_l2(make_alone, rows_of_folds, options, threads_of(request), all);
      return run_training(make(rows.part, detail::with_chosen_l2(options, chosen)), *first, chosen);
    }
    outcome.measured =
        detail::cross_validate(make_alone, rows_of_folds, *asked.folds, options, threads_of(request), all);
    return run_training(make(rows.part, options), *first);
  }
  const auto engine = [&] { return first ? std::move(first) : make_engine(request, ranks); };
  const path_options path{.l2 = asked.path, .folds = asked.folds};
  path_result found = detail::train_path(make, rows.part, engine, path, options, threads_of(request),
                                         {.all = all, .rows = rows_of_folds, .make_alone = make_alone});
  outcome.path = std::move(found.points);
  train_result kept;
  kept.train_loss = kept.objective = std::numeric_limits<double>::quiet_NaN();
  if (!outcome.path.empty()) kept = outcome.path[found.best.value_or(outcome.path.size() - 1)].run;
  if (outcome.path.size() < asked.path.size()) kept.status = run_status::stopped, kept.stopped_by = stop_cause::request;
  return kept;
}

named_model model_for(const train_request& request, std::size_t columns) {
  train_request asked = request;
  sparse_view described;
  described.columns = columns;
  described.label = label_column(std::span<const double>(request.options.labels));
  return model_of(asked, described, agreement(nullptr), nullptr);
}

stream_run make_stream(const train_request& request, const train_options& given) {
  train_options options = given;
  if (model_named(request.model).facts().bias_of_its_own) options.bias = false;
  const auto described = [&]<class M>(const M&) -> stream_model {
    if constexpr (std::same_as<M, registered_model>) {
      throw config_error("a model of the program's own is trained on a stream by hogwild::trainer, not by the command");
    } else {
      const auto make = [request](std::size_t columns) { return std::get<M>(model_for(request, columns)); };
      return described_stream<M>(make, options.bias, [](const M& m, const sparse_view& rows, const train_options& o) {
        return prepare_named(m, rows, o, nullptr);
      });
    }
  };
  stream_options how = request.of_stream;
  how.note = [quiet = request.files.quiet](std::string_view sentence) {
    if (!quiet) say(sentence);
  };
  train_request by = request;
  by.team = thread_team_of_stream(request.team);
  return {std::visit(described, model_for(request, 1)), [by] { return make_engine(by, nullptr); }, options, how};
}

measurement measured_in_training(const named_model& m, const sparse_view& known, const sparse_view& rows,
                                 std::span<const float> parameters) {
  const std::unique_ptr<training_task> task = prepare_named(m, rows, {}, nullptr).task->on(known);
  const param_store store = param_store::in_memory({.parameters = parameters.size()});
  std::ranges::copy(parameters, store.parameters<float>().begin());
  const auto threads = thread_team::make(thread_team_kind::openmp, worker_count(), false);
  return task->evaluate(store, 1.0, rows, *threads, true);
}

measured_loss loss_in_training(const named_model& m, const sparse_view& rows, std::span<const float> parameters) {
  const prepared_task task = prepare_named(m, rows, {}, nullptr);
  const param_store store = param_store::in_memory({.parameters = parameters.size()});
  std::ranges::copy(parameters, store.parameters<float>().begin());
  const auto threads = thread_team::make(thread_team_kind::openmp, worker_count(), false);
  const std::size_t measured = std::min(rows.rows(), task.task->facts().measured_rows);
  return {measured, task.task->evaluate(store, 1.0, rows.slice(0, measured), *threads, false, {}).loss};
}

namespace {

/// For a model of the library, or one that the program has registered.
task_factory factory_for_name(std::string_view name) {
  if (const registered_training* const own = find_training(name)) return own->factory;
  return with_named_models([&]<class... M>() { return factory_of<M...>(name); });
}

}  // namespace

std::optional<int> spawned_worker_main(int argc, const char* const* argv) {
  return work_where_placed(argc, argv, factory_for_name);
}

int join_run(const std::string& segment_name) {
  return work_for_segment({.segment = segment_name}, factory_for_name);
}

}  // namespace hogwild::cli
