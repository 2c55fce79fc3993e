// SPDX-License-Identifier: Apache-2.0
#include "workloads.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <hogwild/detail/engines/thread_team.hpp>
#include <hogwild/detail/optimization/random.hpp>
#include <hogwild/detail/run/column_counts.hpp>
#include <hogwild/error.hpp>

namespace hogwild::bench {
namespace {

constexpr std::size_t text_classes = 16;

/// Calls f(first, last) for parts of n, at the same time.
template <class F>
void in_parts(std::size_t n, const F& f) {
  const std::size_t threads = worker_count();
  thread_team::make(thread_team_kind::std, threads, false)->run([&](std::size_t t) {
    f(n * t / threads, n * (t + 1) / threads);
  });
}

/// Ratings around 3 of what users and items have in common, with some noise. Small numbers of users and items occur
/// more often.
generate::rows made_ratings(std::size_t ratings, std::size_t users, std::size_t items) {
  const counter_random who(1, 1), taste(1, 2), noise(1, 3);
  constexpr std::size_t traits = 4;
  const auto often = [](double uniform, std::size_t count) {
    return std::min(static_cast<std::uint32_t>(std::pow(uniform, 1.5) * static_cast<double>(count)),
                    static_cast<std::uint32_t>(count - 1));
  };
  const auto trait = [&](std::size_t column, std::size_t k) {
    return 2.0 * taste.uniform((traits + 1) * column + k) - 1.0;
  };
  generate::rows made;
  made.columns = users + items;
  made.row_start.resize(ratings + 1);
  made.index.resize(2 * ratings);
  made.value.assign(2 * ratings, 1.0f);
  made.label.resize(ratings);
  in_parts(ratings, [&](std::size_t first, std::size_t last) {
    for (std::size_t r = first; r < last; ++r) {
      const std::size_t user = often(who.uniform(2 * r), users), item = users + often(who.uniform(2 * r + 1), items);
      double score = 3.0 + 0.5 * (trait(user, traits) + trait(item, traits)) + 0.5 * (noise.uniform(r) - 0.5);
      for (std::size_t k = 0; k < traits; ++k) score += trait(user, k) * trait(item, k);
      made.row_start[r + 1] = 2 * (r + 1);
      made.index[2 * r] = static_cast<std::uint32_t>(user);
      made.index[2 * r + 1] = static_cast<std::uint32_t>(item);
      made.label[r] = static_cast<float>(score);  // as files of ratings hold them
    }
  });
  return made;
}

/// Each row's label becomes that of `text_classes` random planes on whose positive side it lies farthest.
void label_by_planes(generate::rows& rows) {
  const counter_random planes(1, 4);
  in_parts(rows.label.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t r = first; r < last; ++r) {
      double farthest = -1e30;
      for (std::size_t c = 0; c < text_classes; ++c) {
        double score = 0;
        for (std::uint64_t k = rows.row_start[r]; k < rows.row_start[r + 1]; ++k)
          score += static_cast<double>(rows.value[k]) * (planes.uniform(rows.index[k] * text_classes + c) - 0.5);
        if (score <= farthest) continue;
        farthest = score;
        rows.label[r] = static_cast<double>(c);
      }
    }
  });
}

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

}  // namespace

row_bound bound_of(const workload& work, const ceilings& device, update_kind update, std::uint64_t rows_in_flight) {
  if (const auto* const factors = std::get_if<matrix_factorization>(&work.model)) {
    // Two rows of floats are read and written; a rating is two columns and a float.
    const auto bytes = static_cast<double>(2 * 2 * sizeof(float) * (factors->width() + (factors->bias ? 1 : 0)) + 12);
    return {"copy", device.copied_bytes / bytes};
  }
  const auto rows = static_cast<double>(work.rows.label.size());
  const double entries = static_cast<double>(work.rows.index.size()) / rows;
  // Classes stand side by side: what lies within the 32 bytes that a device's memory moves at once is one add.
  const auto* const many = std::get_if<softmax>(&work.model);
  const std::size_t bytes = (many != nullptr ? many->classes : 1) * sizeof(float);
  const double adds = entries * static_cast<double>((bytes + 31) / 32);
  const double rate = update == update_kind::exact ? device.scattered_adds_exact : device.scattered_adds_lossy;
  return std::min(
      {row_bound{"copy", device.copied_bytes / (entries * (sizeof(float) + sizeof(std::uint32_t)) + 12)},
       row_bound{"adds", rate / adds}, row_bound{"latency", static_cast<double>(rows_in_flight) / device.row_seconds}},
      [](const row_bound& a, const row_bound& b) { return a.rows_per_second < b.rows_per_second; });
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
  if (name != "logistic" && name != "softmax")
    throw config_error("--tasks: '" + std::string(name) + "' is none of ratings, logistic, softmax");
  generate::rows text = std::move(generate::in_memory({.rows = sizes.rows}).train);
  const std::size_t columns = text.columns;
  // Steps of the generated sets of bench_scaling.
  if (name == "logistic")
    return counted({.name = "logistic",
                    .settings = "text",
                    .rows = std::move(text),
                    .degree = {},
                    .model = logistic{},
                    .options = options_of(12, 4.0, 0.8, sizes)});
  label_by_planes(text);
  return counted({.name = "softmax",
                  .settings = "text of " + std::to_string(text_classes) + " classes",
                  .rows = std::move(text),
                  .degree = {},
                  .model = softmax{.features = columns, .classes = text_classes},
                  .options = options_of(8, 2.0, 0.8, sizes)});
}

}  // namespace hogwild::bench
