// SPDX-License-Identifier: Apache-2.0
#include "workloads.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <hogwild/detail/data/half.hpp>
#include <hogwild/detail/run/column_counts.hpp>
#include <hogwild/error.hpp>

#include "made_rows.hpp"

namespace hogwild::bench {
namespace {

constexpr std::size_t text_classes = 16, text_factors = 16;

train_options options_of(std::size_t epochs, double step, double decay, const workload_sizes& sizes) {
  train_options o;
  o.epochs = sizes.epochs != 0 ? sizes.epochs : epochs;
  o.step.initial = step;
  o.step.decay = decay;
  return o;
}

workload counted(workload made) {
  made.degree = count_columns(made.rows.view());
  made.options.data_name = made.name;
  made.settings = std::to_string(made.rows.label.size()) + " rows of " + std::to_string(made.rows.columns) +
                  " columns, " + made.settings + ", " + std::to_string(made.options.epochs) + " epochs";
  return made;
}

/// How many places an entry of a row adds to: floats within the 32 bytes that a device's memory moves at once are one
/// place. Classes and factors are contiguous; an entry of a factorization machine also has a weight.
std::size_t places_of_an_entry(const workload& work) {
  const auto places = [](std::size_t floats) { return (floats * sizeof(float) + 31) / 32; };
  if (const auto* const many = std::get_if<softmax>(&work.model)) return places(many->classes);
  if (const auto* const machine = std::get_if<factorization_machine>(&work.model)) return places(machine->width()) + 1;
  return 1;
}

}  // namespace

std::optional<row_bound> bound_of(const workload& work, const ceilings& device, const training_way& way,
                                  std::uint64_t rows_in_flight) {
  if (const auto* const factors = std::get_if<matrix_factorization>(&work.model)) {
    // Two rows are read and written, and two biases, which are floats; a rating is two columns and a float.
    const std::size_t stored = way.storage == storage_kind::half ? sizeof(half) : sizeof(float);
    const std::size_t row = stored * factors->width() + (factors->bias ? sizeof(float) : 0);
    const auto bytes = static_cast<double>(2 * 2 * row + 12);
    return row_bound{"copy", device.copied_bytes / bytes};
  }
  if (std::holds_alternative<skip_gram>(work.model)) return std::nullopt;
  const auto rows = static_cast<double>(work.rows.label.size());
  const double entries = static_cast<double>(work.rows.index.size()) / rows;
  const double adds = entries * static_cast<double>(places_of_an_entry(work));
  const double rate = way.update == update_kind::exact ? device.scattered_adds_exact : device.scattered_adds_lossy;
  return std::min(
      {row_bound{"copy", device.copied_bytes / (entries * (sizeof(float) + sizeof(std::uint32_t)) + 12)},
       row_bound{"adds", rate / adds}, row_bound{"latency", static_cast<double>(rows_in_flight) / device.row_seconds}},
      [](const row_bound& a, const row_bound& b) { return a.rows_per_second < b.rows_per_second; });
}

std::string names_of_workloads() {
  std::string all;
  for (const std::string_view name : workload_names) all += (all.empty() ? "" : ", ") + std::string(name);
  return all;
}

workload make_workload(std::string_view name, const workload_sizes& sizes) {
  if (name == "ratings") {
    const std::size_t users = std::max<std::size_t>(sizes.ratings / 200, 50);
    const std::size_t items = std::max<std::size_t>(sizes.ratings / 5000, 50);
    const matrix_factorization model{
        .users = users, .items = items, .factors = sizes.factors, .bias = false, .mean = 3};
    return counted({.name = "ratings",
                    .settings = std::to_string(sizes.factors) + " factors",
                    .rows = made_ratings(sizes.ratings, users, items),
                    .degree = {},
                    .model = model,
                    .options = options_of(8, 0.05, 0.9, sizes)});
  }
  if (name == "words") {
    skip_gram model;
    model.words = std::max<std::size_t>(sizes.words / 100, 1000);
    model.dimension = sizes.dimension;
    model.sample = 1e-3;
    return counted({.name = "words",
                    .settings = std::to_string(sizes.dimension) + " numbers a word",
                    .rows = made_sentences(sizes.words, model.words),
                    .degree = {},
                    .model = model,
                    .options = options_of(3, 0.025, 0.7, sizes)});
  }
  if (name != "logistic" && name != "softmax" && name != "machine")
    throw config_error("--tasks: '" + std::string(name) + "' is none of " + names_of_workloads());
  generate::rows text = std::move(generate::in_memory({.rows = sizes.rows}).train);
  const std::size_t columns = text.columns;
  // Steps that suit these generated rows.
  if (name == "logistic")
    return counted({.name = "logistic",
                    .settings = "text",
                    .rows = std::move(text),
                    .degree = {},
                    .model = logistic{},
                    .options = options_of(12, 4.0, 0.8, sizes)});
  if (name == "machine")
    return counted({.name = "machine",
                    .settings = "text, " + std::to_string(text_factors) + " factors",
                    .rows = std::move(text),
                    .degree = {},
                    .model = factorization_machine{.features = columns, .factors = text_factors},
                    .options = options_of(8, 0.03, 0.9, sizes)});
  label_by_planes(text, text_classes);
  return counted({.name = "softmax",
                  .settings = "text of " + std::to_string(text_classes) + " classes",
                  .rows = std::move(text),
                  .degree = {},
                  .model = softmax{.features = columns, .classes = text_classes},
                  .options = options_of(8, 2.0, 0.8, sizes)});
}

}  // namespace hogwild::bench
