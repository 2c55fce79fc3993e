// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/run/run_checkpoint.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/optimization/optimizer.hpp>
#include <hogwild/detail/options/option_list.hpp>
#include <hogwild/detail/platform/checksum.hpp>
#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/detail/run/checkpoint_origin.hpp>
#include <hogwild/detail/worker/row_state.hpp>
#include <hogwild/error.hpp>
#include <hogwild/names.hpp>

namespace hogwild {

namespace {

/// Numbers that a resumed run takes over where it was not given its own.
struct decided_numbers {
  double l2, bias_rate;
  std::uint64_t batch;
};

/// A checksum of the first rows: rows with other values are other rows, even if they are equally many. With several
/// ranks it may be any: a resumed run may have other ranks, with other first rows.
std::string first_values(const sparse_view& data, const resolved_run& run) {
  if (!agreement(run.ranks).alone()) return std::string(detail::any_value);
  const std::size_t rows = std::min<std::size_t>(data.rows(), 16);
  data.ensure(0, rows);
  row_cursor cursor(data);
  std::uint64_t sum = 0;
  for (std::size_t r = 0; r < rows; ++r) sum = std::rotl(sum, 1) ^ detail::checksum(cursor.row(r).value);
  return "checksum " + detail::to_text(sum);
}

optimizer_constants constants_as_used(const loop_options& o) {
  optimizer_constants constants = o.constants;
  constants.beta2 = beta2_of(o.optimizer, o.constants);
  constants.epsilon = epsilon_of(o.constants);
  constants.ftrl_beta = ftrl_beta_of(o.constants);
  return constants;
}

template <class F>
void with_scalar(std::size_t bytes, const F& f) {
  if (bytes == sizeof(float))
    f.template operator()<float>();
  else
    f.template operator()<double>();
}

}  // namespace

optimizer_state state_of_optimizer(const param_store& store, const training_task& work, const loop_options& options,
                                   double step, double rows) {
  optimizer_state state{.numbers = {.optimizer = options.optimizer,
                                    .constants = constants_as_used(options),
                                    .bias_rate = static_cast<double>(options.bias_rate),
                                    .step = step,
                                    .rows = options.earlier_rows + rows}};
  with_scalar(store.shape().scalar_bytes, [&]<class T>() {
    for (std::size_t k = 0; k < store.shape().state_arrays; ++k) {
      const std::vector<T> values = long_state<T>(store, k, work.facts().groups);
      state.arrays.emplace_back(values.begin(), values.end());
    }
  });
  return state;
}

train_options decided_options(train_options all, const loop_options& o) {
  all.l1 = o.l1;
  all.l2 = o.l2;
  all.form = o.form;
  all.update = o.update;
  all.optimizer = o.optimizer;
  all.constants = constants_as_used(o);
  all.order = o.order;
  all.shards = o.shards;
  all.virtual_workers.reset();
  if (o.sharing == access_kind::deterministic) all.virtual_workers = o.exchange.workers;
  all.bias = o.bias != 0;
  all.bias_rate = static_cast<double>(o.bias_rate);
  all.batch = o.batch;
  return all;
}

namespace {

/// What must be the same for a run to go on: its model, data and options. What was given comes first, then the data,
/// then what follows from both: a difference is not reported as one of its effects.
detail::checkpoint_origin origin_of(const training_task& work, const param_store& store, const resolved_run& run) {
  const sparse_view& data = work.data();
  const loop_options& o = run.plan.options;
  // Ranks in lockstep have one common state, from which ranks with other parts of the rows may resume.
  const bool alike = in_lockstep(o.sharing);
  std::vector<named_value> all, followed;
  const std::vector<named_value> given = detail::resumed_options(run.options);
  std::vector<named_value> decided = detail::resumed_options(decided_options(run.options, o));
  for (std::size_t k = 0; k < decided.size(); ++k)
    (given[k].value.empty() ? followed : all).push_back(std::move(decided[k]));
  const auto add = [&](std::string_view name, auto number) {
    all.push_back({std::string(name), detail::to_text(number)});
  };
  const auto add_numbers = [&](std::string_view name, std::span<const float> numbers) {
    if (alike)
      all.push_back({std::string(name), numbers.empty() ? "" : "given"});
    else
      all.push_back({std::string(name), "checksum " + detail::to_text(detail::checksum(numbers))});
  };
  detail::add_numbers_of_model(all, work.facts().numbers, work.facts().hyperparameters);
  all.push_back({"scale", std::string(name_of(data.scaling))});
  all.push_back({"the columns' divisors", "checksum " + detail::to_text(detail::checksum(data.scale))});
  all.push_back({"the labels", "checksum " + detail::to_text(detail::checksum(work.labels().values()))});
  add("rows", alike ? work.all_rows() : data.rows());
  add("columns", data.columns);
  add("entries", alike ? run.all_nonzeros : data.nonzeros());
  all.push_back({"the columns' numbers", "checksum " + detail::to_text(detail::checksum(data.original))});
  add("halves among the values", data.has_narrow_value() ? 1 : 0);
  add_numbers("row weights", data.weight);
  add_numbers("row offsets", data.offset);
  add("parameters", work.facts().parameters);
  add("bytes of a parameter", work.facts().scalar_bytes);
  add("arrays of the optimiser", store.shape().state_arrays);
  if (o.sharing == access_kind::deterministic) {
    add("rows of a turn", o.exchange.rows);
    all.push_back({"what computes products", std::string(work.facts().products)});  // each form has bits of its own
  }
  if (run.options.initial_state.change) add("rows of the optimiser's earlier runs", o.earlier_rows);
  // A step suits one of these: sums of gradients of so many rows of each rank, or workers that go their own ways.
  if (alike) all.push_back({"what ranks meet for", std::string(name_of(o.sharing))});
  if (o.sharing == access_kind::gathered) add("rows between two meetings", o.exchange.rows);
  all.push_back({"the first rows", first_values(data, run)});
  std::ranges::move(followed, std::back_inserter(all));
  return {work.facts().model, std::move(all)};
}

std::string state_name(std::size_t k) {
  return "state" + std::to_string(k);
}
std::string best_state_name(std::size_t k) {
  return "best state" + std::to_string(k);
}
constexpr const char* best_numbers = "best state's step and rows";
constexpr const char* stop_by_section = "measure to stop by";

}  // namespace

checkpoint checkpoint_of(const param_store& store, const resolved_run& run, const training_task& work,
                         const run_progress& progress, const kept_parameters& kept) {
  checkpoint file{.epoch = progress.epoch};
  put_origin(file, origin_of(work, store, run));
  file.put("decided", decided_numbers{run.plan.options.l2, run.plan.options.bias_rate, run.plan.options.batch});
  file.put("progress", progress);
  file.put("schedule", run.schedule);
  file.put_span<char>(stop_by_section, run.options.stop_by);
  file.put_span<float>("best", kept.best);
  for (std::size_t k = 0; k < kept.best_state.arrays.size(); ++k)
    file.put_span<float>(best_state_name(k), kept.best_state.arrays[k]);
  const state_numbers& best = kept.best_state.numbers;
  if (!kept.best_state.arrays.empty())
    file.put(best_numbers, std::array{best.step, best.rows - run.plan.options.earlier_rows});
  file.put_span<double>("optimum", kept.optimum);
  file.put_span<double>("mean", kept.mean.sums());
  file.put("averaged", std::uint64_t{kept.mean.added()});
  if (in_lockstep(run.plan.options.sharing)) put_alike(file);
  with_scalar(work.facts().scalar_bytes, [&]<class T>() {
    file.put_span<T>("parameters", store.parameters<T>());
    for (std::size_t k = 0; k < store.shape().state_arrays; ++k)
      file.put_span<T>(state_name(k), long_state<T>(store, k, work.facts().groups));
  });
  return file;
}

step_schedule schedule_of_checkpoint(const checkpoint& file) {
  if (file.find("stream") != nullptr)
    throw config_error("the checkpoint was written by a stream, not by a run over epochs: resume it by a stream");
  if (file.find(detail::several_section) != nullptr)
    throw config_error(
        "the checkpoint was written by a run of several models: resume it as one class against the rest, or as an "
        "ensemble, whichever wrote it");
  return file.get<step_schedule>("schedule");
}

std::uint32_t batch_of_checkpoint(const checkpoint& file) {
  return static_cast<std::uint32_t>(file.get<decided_numbers>("decided").batch);
}

std::optional<std::uint64_t> measured_epoch_of_checkpoint(const checkpoint& file) {
  if (file.find(detail::several_section) != nullptr)
    return file.get<detail::several_progress>(detail::several_section).measured_epoch;
  if (file.find("stream") != nullptr || file.find("progress") == nullptr) return std::nullopt;
  return file.get<run_progress>("progress").measured_epoch;
}

objective_fall fall_of_checkpoint(const checkpoint& file) {
  return file.get<run_progress>("progress").fall;
}

double l2_of_checkpoint(const checkpoint& file) {
  schedule_of_checkpoint(file);  // throws for a stream's checkpoint
  return file.get<decided_numbers>("decided").l2;
}

float bias_rate_of_checkpoint(const checkpoint& file) {
  schedule_of_checkpoint(file);
  return static_cast<float>(file.get<decided_numbers>("decided").bias_rate);
}

run_progress load_progress(const resumed_checkpoint& from, const param_store& store, resolved_run& run,
                           const training_task& work, kept_parameters& kept) {
  const std::string& path = from.path;
  const checkpoint& file = from.state;
  require_origin(path, file, origin_of(work, store, run));
  run.schedule = schedule_of_checkpoint(file);
  kept.best = file.get_vector<float>("best");
  if (file.find(best_numbers) != nullptr) {
    const auto [step, rows] = file.get<std::array<double, 2>>(best_numbers);
    kept.best_state = state_of_optimizer(store, work, run.plan.options, step, rows);
    for (std::size_t k = 0; k < kept.best_state.arrays.size(); ++k)
      file.get_into<float>(best_state_name(k), kept.best_state.arrays[k]);
  }
  kept.optimum = file.get_vector<double>("optimum");
  // A run that was planned for fewer epochs may have begun its mean too early.
  if (kept.mean.takes(file.epoch))
    kept.mean.go_on(file.get_vector<double>("mean"), file.get<std::uint64_t>("averaged"));
  with_scalar(work.facts().scalar_bytes, [&]<class T>() {
    file.get_into("parameters", store.parameters<T>());
    std::vector<T> values(store.shape().parameters);
    for (std::size_t k = 0; k < store.shape().state_arrays; ++k) {
      file.get_into<T>(state_name(k), values);
      set_state<T>(store, k, work.facts().groups, values);
    }
  });
  auto progress = file.get<run_progress>("progress");
  const auto before =
      file.find(stop_by_section) != nullptr ? file.get_vector<char>(stop_by_section) : std::vector<char>();
  if (!std::ranges::equal(before, run.options.stop_by)) {  // epochs before cannot be compared with those to come
    progress.rules.best_validation = HUGE_VAL;
    progress.rules.epochs_without_better = 0;
    kept.best.clear();
  }
  return progress;
}

}  // namespace hogwild
