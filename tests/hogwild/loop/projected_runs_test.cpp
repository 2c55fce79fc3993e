// SPDX-License-Identifier: Apache-2.0
// project() of margin and general models: changed parameters are projected onto the model's set under every sharing.
// project() may also be a proximal map that knows the step. Models with a workspace have theirs in
// workspace_step_test.cpp.
#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include <gtest/gtest.h>

#include <hogwild/check_gradient.hpp>
#include <hogwild/general_model.hpp>
#include <hogwild/hogwild.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/trained_model.hpp>

#include "support/scratch_folder.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;

namespace {

constexpr std::size_t columns = 20;

/// Weights that must not be negative; the constant term may be.
struct positive_margin {
  static constexpr std::string_view name = "positive_margin";
  double loss(float margin, float label) const {
    const auto r = static_cast<double>(margin - label);
    return 0.5 * r * r;
  }
  float derivative(float margin, float label) const { return margin - label; }
  void project(std::span<float> run, float) const {
    for (float& w : run) w = std::max(w, 0.0f);
  }
};

/// A row of two numbers for each column, which stays within a circle, and a constant that is not projected.
struct circles {
  using scalar_type = float;
  using example_type = sparse_row<float>;
  std::size_t features = columns;
  std::size_t dim() const { return 2 * features + 1; }
  std::array<parameter_group, 2> groups() const {
    return {{{.name = "pairs", .rows = features, .width = 2},
             {.name = "constant", .offset = 2 * features, .rows = 1, .hot_first = false, .projected = false}}};
  }
  float predict(const auto& w, const example_type& z) const {
    float sum = w[2 * features];
    for (auto [j, x] : z) sum += x * (w[2 * j] + w[2 * j + 1]);
    return sum;
  }
  double loss(const auto& w, const example_type& z) const {
    const auto r = static_cast<double>(predict(w, z) - z.label);
    return 0.5 * r * r;
  }
  void gradient(const auto& w, const example_type& z, const auto& emit) const {
    const float r = predict(w, z) - z.label;
    for (auto [j, x] : z) emit.block(2 * j, std::array{r * x, r * x});
    emit(2 * features, r);
  }
  static constexpr float radius = 0.5f;
  void project(std::span<float> run, float) const {
    for (std::size_t i = 0; i + 1 < run.size(); i += 2) {
      const float length = std::hypot(run[i], run[i + 1]);
      if (length > radius) run[i] *= radius / length, run[i + 1] *= radius / length;
    }
  }
};

/// Slopes that each step draws towards zero by its size: l1 by a proximal map, coordinate by coordinate.
struct soft_thresholds {
  using scalar_type = double;
  using example_type = sparse_row<float>;
  double strength = 0.0;
  std::size_t dim() const { return columns; }
  float predict(const auto& w, const example_type& z) const {
    double sum = 0.0;
    for (auto [j, x] : z) sum += static_cast<double>(x) * w[j];
    return static_cast<float>(sum);
  }
  double loss(const auto& w, const example_type& z) const {
    const auto r = static_cast<double>(predict(w, z) - z.label);
    return 0.5 * r * r;
  }
  void gradient(const auto& w, const example_type& z, const auto& emit) const {
    const auto r = static_cast<double>(predict(w, z) - z.label);
    for (auto [j, x] : z) emit(j, r * static_cast<double>(x));
  }
  void project(std::span<double> run, double step) const {
    for (double& w : run) w = std::copysign(std::max(std::abs(w) - step * strength, 0.0), w);
  }
};
static_assert(conforms<positive_margin>() && conforms<circles>() && conforms<soft_thresholds>());

struct projected_runs : testing::Test {
  test::toy_rows toy = test::planted_regression({.rows = 400, .columns = columns, .per_row = 5});
  csr_rows rows = toy.csr();
  const thread_engine threads{.workers = 2, .team = thread_team_kind::std, .pin = false};

  /// Calls use(result, name) for a run by each engine, sharing and optimiser that trains it.
  template <class M, class Use>
  void by_all(const M& m, const train_options& given, const Use& use) const {
    for (const optimizer_kind optimizer : {optimizer_kind::sgd, optimizer_kind::adagrad}) {
      train_options options = given;
      options.optimizer = optimizer;
      const std::string by = optimizer == optimizer_kind::sgd ? " sgd" : " adagrad";
      use(train(m, rows, serial_engine{}, options), "serial" + by);
      use(train(m, rows, sync_engine{.workers = 2, .rows = 4}, options), "all_reduce" + by);
      options.sharing = sharing_kind::direct;
      options.update = update_kind::exact;
      use(train(m, rows, thread_engine{.workers = 1, .team = thread_team_kind::std}, options), "direct" + by);
      options = given;
      options.optimizer = optimizer;
      options.reproducible = true;
      use(train(m, rows, threads, options), "reproducible" + by);
    }
  }
};

TEST_F(projected_runs, keep_the_weights_of_a_margin_model_in_its_set) {
  for (float& label : toy.label) label -= 3.0f;  // so that the constant term is negative
  rows = toy.csr();
  const train_options options{.epochs = 16, .step = {.initial = 0.05, .decay = 0.95}, .l2 = 1e-4, .bias = true};
  const double free_loss = train(least_squares{}, rows, serial_engine{}, options).train_loss;
  by_all(positive_margin{}, options, [&](const train_result& run, const std::string& by) {
    const std::span<const float> w(run.parameters);
    ASSERT_EQ(w.size(), columns + 1) << by;
    // Sums of replicas' gains, and rounding, may leave parameters a little below 0.
    EXPECT_GT(*std::ranges::min_element(w.first(columns)), by.starts_with("reproducible") ? -0.2f : -1e-5f) << by;
    EXPECT_LT(w[columns], -0.5f) << by;
    EXPECT_GT(std::ranges::count_if(w.first(columns), [](float x) { return x > 0.1f; }), 2) << by;
    EXPECT_GT(run.train_loss, free_loss + 0.01) << by;
    EXPECT_LT(run.train_loss, 3.0) << by;
  });
}

TEST_F(projected_runs, of_margin_models_are_saved_as_margin_models_are) {
  const test::scratch_folder folder;
  const train_result run =
      train(positive_margin{}, rows, threads, {.epochs = 3, .step = {.initial = 0.05}, .bias = true});
  save(folder / "model.bin", run, rows, positive_margin{});
  const auto again = load<positive_margin>(folder / "model.bin");
  EXPECT_EQ(again.parameters, run.parameters);
  EXPECT_NEAR(evaluate(again, rows, {.team = thread_team_kind::std}).loss, run.train_loss, 1e-6);
}

TEST_F(projected_runs, keep_the_rows_of_a_general_model_in_its_set) {
  const train_options options{.epochs = 8, .step = {.initial = 0.05, .decay = 0.9}, .l2 = 1e-4};
  by_all(circles{}, options, [&](const train_result& run, const std::string& by) {
    std::size_t at_the_rim = 0;
    for (std::size_t j = 0; j < columns; ++j) {
      const float length = std::hypot(run.parameters[2 * j], run.parameters[2 * j + 1]);
      EXPECT_LT(length, circles::radius * (by.starts_with("reproducible") ? 1.5f : 1.0001f)) << by << " " << j;
      at_the_rim += length > 0.9f * circles::radius;
    }
    EXPECT_GT(at_the_rim, 2u) << by;  // slopes are up to 2
  });
}

TEST_F(projected_runs, are_told_the_step_that_moved_them) {
  // A pass over one row of one column: w becomes soft(w + step * (1 - w)).
  test::toy_rows one;
  one.columns = columns;
  one.push({3}, {1.0f}, 1.0f);
  const csr_rows row = one.csr();
  const train_options options{.epochs = 3, .step = {.initial = 0.5, .decay = 0.5}, .l2 = 0.0};
  const train_result run = train(soft_thresholds{0.25}, row, serial_engine{}, options);
  double w = 0.0;
  for (const double step : {0.5, 0.25, 0.125}) w = std::max(w + step * (1.0 - w) - step * 0.25, 0.0);
  EXPECT_NEAR(static_cast<double>(run.parameters[3]), w, 1e-6);
  EXPECT_GT(w, 0.1);
  const train_result none = train(soft_thresholds{2.0}, row, serial_engine{}, options);
  EXPECT_EQ(none.parameters[3], 0.0f);  // exactly
}

}  // namespace
