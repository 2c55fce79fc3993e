// SPDX-License-Identifier: Apache-2.0
// Models that take several examples at once, tested with a linear one whose steps can be worked out by hand.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/engines.hpp>
#include <hogwild/formats/graphs.hpp>
#include <hogwild/general_model.hpp>
#include <hogwild/hogwild.hpp>
#include <hogwild/models/graph_cut.hpp>
#include <hogwildpp/ring_engine.hpp>

#include "support/dense_squares.hpp"
#include "support/refusal.hpp"
#include "support/scratch_folder.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;

namespace {

using test::dense_squares;
static_assert(conforms<dense_squares>() && workspace_model<dense_squares>);

/// A model whose weights must not be negative.
struct positive_squares : dense_squares {
  static constexpr std::string_view name = "positive_squares";
  void project(std::span<float> block, float) const {
    for (float& w : block) w = std::max(w, 0.0f);
  }
};

struct workspace_models : testing::Test {
  /// Labels are 2 x_0 - x_1 + 0.5, on dense rows.
  workspace_models() {
    rows.columns = features;
    const counter_random random(3, 4);
    for (std::size_t r = 0; r < 500; ++r) {
      std::vector<float> x(features);
      for (std::size_t j = 0; j < features; ++j)
        x[j] = static_cast<float>(2.0 * random.uniform(r * features + j) - 1.0);
      rows.push({0, 1, 2, 3}, x, 2.0f * x[0] - x[1] + 0.5f);
    }
  }
  train_result run(const auto& engine, const train_options& options, double bias_factor = 1.0) const {
    return train(dense_squares{features, bias_factor}, rows.csr().view(), engine, options);
  }
  static constexpr std::size_t features = 4;
  test::toy_rows rows;
};

TEST_F(workspace_models, learn_by_their_defaults_with_every_optimizer_and_engine) {
  const train_result by_default = run(serial_engine{}, {.epochs = 30});
  EXPECT_EQ(by_default.step, 0.25);
  EXPECT_FALSE(by_default.step_found);
  EXPECT_LT(by_default.train_loss, 1e-5);
  EXPECT_NEAR(by_default.parameters[0], 2.0f, 0.02f);
  EXPECT_NEAR(by_default.parameters[1], -1.0f, 0.02f);
  EXPECT_NEAR(by_default.parameters[4], 0.5f, 0.02f);
  for (const auto& [kind, step] : {std::pair{optimizer_kind::sgd, 0.5}, std::pair{optimizer_kind::momentum, 0.1},
                                   std::pair{optimizer_kind::adam, 0.02}, std::pair{optimizer_kind::adagrad, 0.5},
                                   std::pair{optimizer_kind::row_adagrad, 0.5}}) {
    const train_options options{.epochs = 40, .step = {.initial = step, .decay = 0.9}, .optimizer = kind};
    EXPECT_LT(run(serial_engine{}, options).train_loss, 1e-3) << static_cast<int>(kind);
    EXPECT_LT(run(thread_engine{.workers = 2}, options).train_loss, 1e-3) << static_cast<int>(kind);
    EXPECT_LT(run(ring_engine{.workers = 2, .replicas = 2}, options).train_loss, 1e-3) << static_cast<int>(kind);
    EXPECT_LT(run(sync_engine{.workers = 2, .rule = sync_rule::average, .rows = 32}, options).train_loss, 1e-3)
        << static_cast<int>(kind);
  }
  EXPECT_LT(run(sync_engine{.workers = 2, .rows = 8},
                {.epochs = 40, .step = {.initial = 0.5, .decay = 0.9}, .optimizer = optimizer_kind::sgd})
                .train_loss,
            1e-3);
}

TEST_F(workspace_models, one_thread_does_to_the_bit_what_the_serial_engine_does) {
  for (const optimizer_kind kind : {optimizer_kind::sgd, optimizer_kind::momentum, optimizer_kind::adam}) {
    const train_options options{.epochs = 3, .step = {.initial = 0.05}, .l2 = 0.01, .optimizer = kind};
    EXPECT_EQ(run(serial_engine{}, options).parameters, run(thread_engine{.workers = 1}, options).parameters);
  }
}

TEST_F(workspace_models, step_by_the_mean_of_a_batch_with_l2_as_part_of_the_gradient) {
  // One step over all rows: w = -step * (mean gradient at 0); l2 of zeros adds nothing.
  rows = {};
  rows.columns = features;
  for (int r = 0; r < 4; ++r) rows.push({0, 1, 2, 3}, {1.0f, 2.0f, 0.0f, -1.0f}, static_cast<float>(r));
  const train_options one{
      .epochs = 1, .step = {.initial = 0.5, .decay = 1.0}, .optimizer = optimizer_kind::sgd, .batch = 4};
  const train_result first = run(serial_engine{}, one, 0.5);
  // Mean error at 0 is -1.5; the bias has half the step.
  EXPECT_EQ(first.parameters, (std::vector<float>{0.75f, 1.5f, 0.0f, -0.75f, 0.375f}));
  train_options two = one;
  two.epochs = 2;
  two.l2 = 0.25;
  const std::vector<float> w = first.parameters;
  const float error = w[0] + 2.0f * w[1] - w[3] + w[4] - 1.5f;
  const train_result second = run(serial_engine{}, two, 0.5);
  EXPECT_FLOAT_EQ(second.parameters[1], w[1] - 0.5f * (2.0f * error + 0.25f * w[1]));
  EXPECT_FLOAT_EQ(second.parameters[4], w[4] - 0.25f * error) << "a bias has no l2";
}

TEST_F(workspace_models, leave_frozen_groups_alone_and_refuse_unknown_ones) {
  const train_result r = run(serial_engine{}, {.epochs = 5, .freeze = {"bias"}});
  EXPECT_EQ(r.parameters[features], 0.0f);
  EXPECT_NE(r.parameters[0], 0.0f);
  // The mean of three equal numbers may differ from them.
  const train_result kept =
      run(sync_engine{.workers = 3, .rule = sync_rule::average, .rows = 8},
          {.epochs = 5, .initial = [](std::span<float> w) { w[features] = 0.1f; }, .freeze = {"bias"}});
  EXPECT_EQ(kept.parameters[features], 0.1f);
  EXPECT_NE(kept.parameters[0], 0.0f);
  EXPECT_THAT(test::refusal_of([&] { run(serial_engine{}, {.freeze = {"biases"}}); }),
              testing::HasSubstr("it has weights, bias"));
  EXPECT_THROW(run(serial_engine{}, {.batch = 257}), config_error);
}

TEST_F(workspace_models, stay_where_their_projection_keeps_them) {
  const train_result r = train(positive_squares{{.features = features}}, rows.csr().view(), serial_engine{},
                               {.epochs = 20, .step = {.initial = 0.2}, .optimizer = optimizer_kind::sgd});
  EXPECT_GT(r.parameters[0], 1.5f);
  EXPECT_EQ(r.parameters[1], 0.0f);
}

TEST_F(workspace_models, stay_where_they_are_projected_in_lockstep_under_every_optimizer) {
  for (const auto& [kind, step] : {std::pair{optimizer_kind::sgd, 0.5}, std::pair{optimizer_kind::momentum, 0.1},
                                   std::pair{optimizer_kind::adagrad, 0.5}, std::pair{optimizer_kind::adam, 0.02}}) {
    const train_result r =
        train(positive_squares{{.features = features}}, rows.csr().view(), sync_engine{.workers = 2, .rows = 8},
              {.epochs = 40, .step = {.initial = step, .decay = 0.9}, .optimizer = kind});
    EXPECT_NEAR(r.parameters[0], 2.0f, 0.2f) << static_cast<int>(kind);
    EXPECT_GE(r.parameters[1], 0.0f) << static_cast<int>(kind);
    EXPECT_NEAR(r.parameters[1], 0.0f, 0.02f) << static_cast<int>(kind);
  }
  // Frozen parameters that begin outside the set stay outside.
  const train_result r =
      train(positive_squares{{.features = features}}, rows.csr().view(), sync_engine{.workers = 2, .rows = 8},
            {.epochs = 2,
             .step = {.initial = 0.5},
             .optimizer = optimizer_kind::sgd,
             .initial = [](std::span<float> w) { w[1] = -0.5f; },
             .freeze = {"weights"}});
  EXPECT_EQ(r.parameters[1], -0.5f);
}

// Each edge emits its change, not its part of a mean, so a batch of sixteen must not make the changes sixteen times as
// large. Chunks hold whole batches, so that the order is another one.
TEST_F(workspace_models, that_emit_sums_add_up_alike_whatever_the_batch) {
  const test::scratch_folder folder;
  std::string text = "p max 60 0\n";
  std::size_t arcs = 0;
  for (std::size_t v = 1; v <= 60; ++v)
    for (const std::size_t far : {1u, 7u, 11u}) {
      text +=
          "a " + std::to_string(v) + " " + std::to_string(1 + (v + far) % 60) + " " + std::to_string(v % 5 + 1) + "\n";
      ++arcs;
    }
  text.replace(0, 11, "p max 60 " + std::to_string(arcs) + "\nn 1 s\nn 30 t\n");
  const sparse_dataset graph =
      open_graph(folder.write("graph.max", text), {}, {.cache = open_options::cache_use::none});
  const auto moved = [&](std::size_t batch) {
    const train_result r = train(graph_cut_of(graph.view()), graph.view(), sync_engine{.workers = 2, .rows = 16},
                                 {.epochs = 3, .step = {.initial = 0.5}, .batch = batch});
    double sum = 0.0;
    for (const float x : r.parameters) sum += std::abs(static_cast<double>(x) - 0.5);
    return sum;
  };
  EXPECT_GT(moved(1), 0.1);
  EXPECT_NEAR(moved(16) / moved(1), 1.0, 0.3);
}

TEST_F(workspace_models, follow_a_step_that_falls_inside_an_epoch) {
  // Rows are equal and far: after each batch the error is (1 - step)^k times as large.
  rows = {};
  rows.columns = features;
  for (int r = 0; r < 64; ++r) rows.push({0}, {1.0f}, 1.0f);
  const train_result r = run(serial_engine{}, {.epochs = 1,
                                               .step = {.initial = 0.5, .kind = schedule_kind::linear},
                                               .optimizer = optimizer_kind::sgd,
                                               .batch = 1,
                                               .freeze = {"bias"}});
  double error = 1.0;
  // The step is that of the chunk's first row; chunks have one row of 64, for a batch of one.
  for (int k = 0; k < 64; ++k) error *= 1.0 - 0.5 * (1.0 - (1.0 - 1e-4) * k / 64.0);
  EXPECT_NEAR(1.0 - static_cast<double>(r.parameters[0]), error, 1e-6);
  EXPECT_EQ(r.schedule, schedule_kind::linear);
}

}  // namespace
