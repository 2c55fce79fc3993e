// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/run/run_checkpoint.hpp>

#include <algorithm>
#include <bit>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/optimization/optimizer.hpp>
#include <hogwild/detail/platform/checksum.hpp>
#include <hogwild/error.hpp>
#include <hogwild/names.hpp>

namespace hogwild {

namespace {

/// The facts that must be equal for a run to continue an interrupted one. All fields are eight bytes, so that no
/// padding is compared.
struct run_fingerprint {
  std::uint64_t rows, columns, nonzeros, parameters, scalar_bytes, state_arrays;
  std::uint64_t update, optimizer, order, shards, bias, seed;
  std::uint64_t virtual_workers, turn_rows, batch, narrow_values, frozen_groups, l2_form;
  std::uint64_t numbering, warm_start, hyperparameters, weights, values;
  std::uint64_t scaling, scale;  ///< the rule by which columns were divided, and a checksum of the divisors
  double l1, l2, bias_rate, momentum, beta1, beta2, epsilon, ftrl_beta, average;

  bool operator==(const run_fingerprint&) const = default;
  /// A `values` of 0 matches anything.
  bool suits(run_fingerprint other) const {
    if (values == 0 || other.values == 0) other.values = values;
    return *this == other;
  }
};

/// A checksum of the first rows: rows with other values are other rows, even if they are equally many. With several
/// ranks it is 0, which matches anything: a resumed run may have other ranks, with other first rows.
std::uint64_t first_values(const sparse_view& data, const resolved_run& run) {
  if (!agreement(run.ranks).alone()) return 0;
  const std::size_t rows = std::min<std::size_t>(data.rows(), 16);
  data.ensure(0, rows);
  row_cursor cursor(data);
  std::uint64_t sum = 0;
  for (std::size_t r = 0; r < rows; ++r) sum = std::rotl(sum, 1) ^ detail::checksum(cursor.row(r).value);
  return sum;
}

run_fingerprint fingerprint(const training_task& work, const param_store& store, const resolved_run& run) {
  const loop_options& o = run.plan.options;
  std::vector<std::uint64_t> hyperparameters;
  for (const double x : work.facts().hyperparameters) hyperparameters.push_back(std::bit_cast<std::uint64_t>(x));
  const bool reproducible = o.sharing == access_kind::deterministic;
  // Ranks in lockstep have one common state, from which ranks with other parts of the rows may resume.
  const bool alike = in_lockstep(o.sharing);
  const auto sum_of = [alike](std::span<const float> numbers) {
    const float some = 1.0f;
    return detail::checksum(alike && !numbers.empty() ? std::span(&some, 1) : numbers);
  };
  return {.rows = alike ? work.all_rows() : work.data().rows(),
          .columns = work.data().columns,
          .nonzeros = alike ? run.all_nonzeros : work.data().nonzeros(),
          .parameters = work.facts().parameters,
          .scalar_bytes = work.facts().scalar_bytes,
          .state_arrays = store.shape().state_arrays,
          .update = static_cast<std::uint64_t>(o.update),
          .optimizer = static_cast<std::uint64_t>(o.optimizer),
          .order = static_cast<std::uint64_t>(o.order),
          .shards = static_cast<std::uint64_t>(o.shards),
          .bias = o.bias,
          .seed = o.seed,
          .virtual_workers = reproducible ? o.exchange.workers : 0,
          .turn_rows = reproducible ? o.exchange.rows : 0,
          .batch = o.batch,
          .narrow_values = work.data().has_narrow_value() ? 1u : 0u,
          .frozen_groups = o.frozen_groups,
          .l2_form = static_cast<std::uint64_t>(o.form),
          .numbering = detail::checksum(work.data().original),
          .warm_start = run.options.initial ? 1u : 0u,
          .hyperparameters = detail::checksum(std::span<const std::uint64_t>(hyperparameters)),
          .weights = sum_of(work.data().weight) ^ std::rotl(sum_of(work.data().offset), 1),
          .values = first_values(work.data(), run),
          .scaling = static_cast<std::uint64_t>(work.data().scaling),
          .scale = detail::checksum(work.data().scale),
          .l1 = o.l1,
          .l2 = o.l2,
          .bias_rate = static_cast<double>(o.bias_rate),
          .momentum = o.constants.momentum,
          .beta1 = o.constants.beta1,
          .beta2 = o.constants.beta2,
          .epsilon = epsilon_of(o.constants),
          .ftrl_beta = ftrl_beta_of(o.constants),
          .average = run.options.average.value_or(0.0)};
}

/// Weights of columns with other divisors are equally many, but mean something else; no other check would find that.
/// All ranks have the same divisors, whatever rows each of them has.
void require_same_scale(const std::string& path, const run_fingerprint& wrote, const run_fingerprint& goes_on) {
  if (wrote.scaling == goes_on.scaling && wrote.scale == goes_on.scale) return;
  const auto given = [](const run_fingerprint& by) {
    return "scale " + std::string(name_of(static_cast<column_scaling>(by.scaling)));
  };
  if (wrote.scaling == goes_on.scaling)
    throw config_error(path + " was written by a run with " + given(wrote) +
                       " whose columns were divided by other numbers: resume with the data that it was trained on");
  throw config_error(path + " was written by a run with " + given(wrote) + ", and this one has " + given(goes_on) +
                     ": resume with the --scale that wrote it, and with the same data");
}

template <class F>
void with_scalar(std::size_t bytes, const F& f) {
  if (bytes == sizeof(float))
    f.template operator()<float>();
  else
    f.template operator()<double>();
}

std::string state_name(std::size_t k) {
  return "state" + std::to_string(k);
}

}  // namespace

void save_progress(const std::string& path, const param_store& store, const resolved_run& run,
                   const training_task& work, const run_progress& progress, const kept_parameters& kept) {
  checkpoint file{.epoch = progress.epoch};
  const std::string_view model = work.facts().model;
  file.put_span("model", std::span(model.data(), model.size()));
  file.put("fingerprint", fingerprint(work, store, run));
  file.put("progress", progress);
  file.put("schedule", run.schedule);
  file.put_span<float>("best", kept.best);
  file.put_span<double>("optimum", kept.optimum);
  file.put_span<double>("mean", kept.mean.sums());
  file.put("averaged", std::uint64_t{kept.mean.added()});
  if (in_lockstep(run.plan.options.sharing)) put_alike(file);
  with_scalar(work.facts().scalar_bytes, [&]<class T>() {
    file.put_span<T>("parameters", store.parameters<T>());
    for (std::size_t k = 0; k < store.shape().state_arrays; ++k) file.put_span<T>(state_name(k), store.state<T>(k));
  });
  write_checkpoint(path, file);
}

step_schedule schedule_of_checkpoint(const checkpoint& file) {
  if (file.find("stream") != nullptr)
    throw config_error("the checkpoint was written by a stream, not by a run over epochs: resume it by a stream");
  return file.get<step_schedule>("schedule");
}

std::uint32_t batch_of_checkpoint(const checkpoint& file) {
  return static_cast<std::uint32_t>(file.get<run_fingerprint>("fingerprint").batch);
}

std::optional<std::uint64_t> measured_epoch_of_checkpoint(const checkpoint& file) {
  if (file.find("stream") != nullptr || file.find("progress") == nullptr) return std::nullopt;
  return file.get<run_progress>("progress").measured_epoch;
}

objective_fall fall_of_checkpoint(const checkpoint& file) {
  return file.get<run_progress>("progress").fall;
}

double l2_of_checkpoint(const checkpoint& file) {
  schedule_of_checkpoint(file);  // throws for a stream's checkpoint
  return file.get<run_fingerprint>("fingerprint").l2;
}

float bias_rate_of_checkpoint(const checkpoint& file) {
  schedule_of_checkpoint(file);
  return static_cast<float>(file.get<run_fingerprint>("fingerprint").bias_rate);
}

run_progress load_progress(const resumed_checkpoint& from, const param_store& store, resolved_run& run,
                           const training_task& work, kept_parameters& kept) {
  const std::string& path = from.path;
  const checkpoint& file = from.state;
  const auto name = file.get_vector<char>("model");
  if (std::string_view(name.data(), name.size()) != work.facts().model) {
    throw config_error(path + " is a checkpoint of " + std::string(name.begin(), name.end()) + ", not of " +
                       std::string(work.facts().model) + ": resume with the model that wrote it");
  }
  const auto wrote = file.get<run_fingerprint>("fingerprint"), goes_on = fingerprint(work, store, run);
  require_same_scale(path, wrote, goes_on);
  if (!wrote.suits(goes_on)) {
    throw config_error(path +
                       " was written by a run with other data or other options (l1, l2, seed, optimizer, update, "
                       "order, bias, average, weights, offsets, virtual workers, init ...): resume with the command "
                       "line that wrote it");
  }
  run.schedule = schedule_of_checkpoint(file);
  kept.best = file.get_vector<float>("best");
  kept.optimum = file.get_vector<double>("optimum");
  // A run that was planned for fewer epochs may have begun its mean too early.
  if (kept.mean.takes(file.epoch))
    kept.mean.go_on(file.get_vector<double>("mean"), file.get<std::uint64_t>("averaged"));
  with_scalar(work.facts().scalar_bytes, [&]<class T>() {
    file.get_into("parameters", store.parameters<T>());
    for (std::size_t k = 0; k < store.shape().state_arrays; ++k) file.get_into(state_name(k), store.state<T>(k));
  });
  return file.get<run_progress>("progress");
}

}  // namespace hogwild
