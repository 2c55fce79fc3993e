// SPDX-License-Identifier: Apache-2.0
// A request to stop is seen in every phase of a run, and soon: the test counts the rows that are looked at after it.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <span>
#include <stop_token>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/run/curvature.hpp>
#include <hogwild/engines.hpp>
#include <hogwild/general_model.hpp>
#include <hogwild/observer.hpp>
#include <hogwild/train.hpp>

#include "support/heard_run.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;

namespace {

constexpr std::size_t workers = 2, never = static_cast<std::size_t>(-1);

/// Counts looks at rows; one of them asks for a stop.
struct bell {
  std::stop_source source{};
  std::size_t at = never;
  std::atomic<std::size_t> looks = 0, after = 0;  ///< and those once the request was heard
  std::atomic<bool> rung = false;

  void look() {
    if (rung) ++after;
    if (looks.fetch_add(1) + 1 != at) return;
    source.request_stop();
    rung = true;
  }
  void set(std::size_t when) { at = when, looks = 0, after = 0, rung = false, source = {}; }
};

bell* gradients = nullptr;  ///< rung by rows that are trained
bell* losses = nullptr;     ///< and by rows that are measured

/// Least squares that says when a row is looked at.
struct rung_model {
  using scalar_type = float;
  using example_type = sparse_row<float>;
  std::size_t features = 0;
  std::size_t dim() const { return features; }
  double loss(const auto& w, const example_type& z) const {
    losses->look();
    const float r = dot(w, z) - z.label;
    return static_cast<double>(0.5f * r * r);
  }
  void gradient(const auto& w, const example_type& z, const auto& emit) const {
    gradients->look();
    const float g = dot(w, z) - z.label;
    for (auto [j, x] : z) emit(j, g * x);
  }
};

struct listener : test::heard_run {
  /// A few rows were tried before the run began.
  void on_start(const run_start&) override { gradients->looks = losses->looks = 0; }
};

struct stop_anywhere : testing::Test {
  static constexpr std::size_t rows = 6000;
  test::kept_rows data = test::planted_regression({.rows = rows, .columns = 20}, 0.5);
  bell trained, measured;
  listener heard;
  train_options options{.epochs = 5, .step = {.initial = 0.01}, .l2 = 0.01, .observers = {&heard}};

  stop_anywhere() { gradients = &trained, losses = &measured; }

  template <class Engine>
  train_result run(const Engine& engine) {
    options.stop = (trained.at != never ? trained : measured).source.get_token();
    const train_result result = train(rung_model{.features = data.view().columns}, data, engine, options);
    EXPECT_EQ(result.status, run_status::stopped);
    return result;
  }
};

TEST_F(stop_anywhere, training_ends_with_the_row_in_hand) {
  const auto each = [this](const auto& engine) {
    heard.epochs.clear();
    trained.set(rows + rows / 2), measured.set(never);
    const train_result result = run(engine);
    EXPECT_LE(trained.after, workers);
    EXPECT_EQ(result.epochs, 1u);
    EXPECT_LE(result.examples, trained.looks);
    EXPECT_GT(result.examples, rows);
    // The result has the last measurement, and nothing of the epoch that was cut short.
    ASSERT_EQ(heard.epochs.size(), 1u);
    EXPECT_EQ(result.train_loss, heard.epochs[0].train_loss);
    EXPECT_EQ(result.objective, heard.epochs[0].objective);
    EXPECT_LE(measured.looks, 2 * rows) << "no epoch was measured after the stop";
  };
  each(serial_engine{});
  options.sharing = sharing_kind::direct;
  each(thread_engine{.workers = workers, .team = thread_team_kind::std});
  options.sharing = sharing_kind::buffered;
  each(thread_engine{.workers = workers, .team = thread_team_kind::std});
  options.sharing = sharing_kind::automatic;
  options.reproducible = true;
  each(thread_engine{.workers = workers, .team = thread_team_kind::std});
  each(serial_engine{});
}

TEST_F(stop_anywhere, ranks_in_lockstep_leave_together) {
  for (const sync_rule rule : {sync_rule::gradients, sync_rule::average}) {
    trained.set(rows + rows / 2);
    const train_result result = run(sync_engine{.workers = workers, .rule = rule, .rows = 8});
    EXPECT_LE(trained.after, workers);
    EXPECT_EQ(result.epochs, 1u);
  }
}

TEST_F(stop_anywhere, measuring_ends_with_the_row_in_hand_and_gives_no_number) {
  options.sharing = sharing_kind::direct;
  options.test = data.view().slice(0, 1000);
  const thread_engine engine{.workers = workers, .team = thread_team_kind::std};
  // A run measures its training rows once before its first epoch: a stop there finds no row trained.
  measured.set(rows / 2);
  const train_result untrained = run(engine);
  EXPECT_LE(measured.after, workers);
  EXPECT_EQ(untrained.epochs, 0u);
  EXPECT_EQ(untrained.examples, 0u);
  EXPECT_TRUE(std::isnan(untrained.train_loss) && std::isnan(untrained.objective));
  EXPECT_TRUE(heard.epochs.empty());

  // In the training rows of epoch 1, and in the test rows of epoch 2.
  measured.set(rows + rows / 2);
  const train_result none = run(engine);
  EXPECT_LE(measured.after, workers);
  EXPECT_EQ(none.epochs, 0u);
  EXPECT_EQ(none.examples, rows) << "the parameters are those of the epoch";
  EXPECT_TRUE(std::isnan(none.train_loss) && std::isnan(none.objective));
  EXPECT_FALSE(none.test);
  EXPECT_TRUE(heard.epochs.empty());

  measured.set(rows + (rows + 1000) + rows + 500);
  const train_result one = run(engine);
  EXPECT_LE(measured.after, workers);
  EXPECT_EQ(one.epochs, 1u);
  EXPECT_EQ(one.examples, 2 * rows);
  ASSERT_EQ(heard.epochs.size(), 1u);
  EXPECT_EQ(one.train_loss, heard.epochs[0].train_loss);
  ASSERT_TRUE(one.test);
  EXPECT_EQ(one.test->loss, heard.epochs[0].test->loss);
}

TEST_F(stop_anywhere, parameters_that_validation_kept_are_reported_as_they_were_measured) {
  // Validation rows have the opposite labels: a model that fits the data gets worse on them with each epoch, so that
  // the first one is kept.
  test::toy_rows opposite = data;
  for (float& label : opposite.label) label = -label;
  const csr_rows others = opposite.csr();
  options.validation = others.view();
  // In epoch 3: before the first one a run is measured in its training rows.
  measured.set(rows + 2 * (rows + rows) + 100);
  const train_result result = run(serial_engine{});
  EXPECT_LE(measured.after, 1u);
  ASSERT_EQ(heard.epochs.size(), 2u);
  EXPECT_GT(heard.epochs[1].validation->loss, heard.epochs[0].validation->loss);
  EXPECT_EQ(result.train_loss, heard.epochs[0].train_loss);
  EXPECT_EQ(result.validation->loss, heard.epochs[0].validation->loss);
}

TEST_F(stop_anywhere, the_search_of_a_step_ends_in_the_middle_of_a_pass) {
  options.step = {};
  trained.set(100);
  const train_result result = run(serial_engine{});
  // A pass over the sample is thousands of rows; the first few of all are tried once more before a run begins.
  EXPECT_LE(trained.after, 50u);
  EXPECT_EQ(measured.looks, 0u);
  EXPECT_EQ(result.epochs, 0u);
  EXPECT_EQ(result.examples, 0u);
  EXPECT_FALSE(result.step_found);
  // And in its measurements.
  trained.set(never);
  measured.set(100);
  run(serial_engine{});
  EXPECT_EQ(measured.after, 0u);
}

TEST_F(stop_anywhere, time_that_is_over_ends_the_search_of_a_step_and_the_measuring_before_the_first_epoch) {
  options.step = {};
  options.max_seconds = 1e-9;
  options.initial = [](std::span<float> w) { std::ranges::fill(w, 0.5f); };
  options.tolerance = 0.1;  // progress counts from zeros
  trained.rung = measured.rung = true;
  const auto each = [this](const auto& engine) {
    trained.after = measured.after = 0;
    const train_result result = run(engine);
    EXPECT_LE(trained.after, 50u) << "of a pass of thousands";
    EXPECT_EQ(measured.after, 0u);
    EXPECT_EQ(result.stopped_by, stop_cause::time_limit);
    EXPECT_EQ(result.epochs, 0u);
    EXPECT_FALSE(result.step_found);
    EXPECT_TRUE(std::isnan(result.train_loss) && std::isnan(result.objective));
    EXPECT_EQ(result.parameters, std::vector<float>(20, 0.5f)) << "what it begins with";
  };
  each(serial_engine{});
  each(thread_engine{.workers = workers, .team = thread_team_kind::std});
  each(sync_engine{.workers = workers, .rule = sync_rule::gradients, .rows = 8});
}

TEST_F(stop_anywhere, a_stop_between_two_epochs_trains_no_row_of_the_next) {
  std::stop_source source;
  options.observers.push_back([&](const epoch_report& e) {
    if (e.epoch == 2) source.request_stop();
  });
  options.stop = source.get_token();
  const auto result = train(rung_model{.features = data.view().columns}, data, serial_engine{}, options);
  EXPECT_EQ(result.status, run_status::stopped);
  EXPECT_EQ(trained.looks, 2 * rows);
  EXPECT_EQ(result.epochs, 2u);
  EXPECT_EQ(result.examples, 2 * rows);
  for (const float w : result.parameters) EXPECT_TRUE(std::isfinite(w));
  EXPECT_EQ(result.train_loss, heard.epochs.back().train_loss);
}

TEST_F(stop_anywhere, the_curvature_of_the_data_is_not_waited_for) {
  std::stop_source source;
  EXPECT_GT(largest_eigenvalue(data.view(), false, source.get_token()), 0.0);
  source.request_stop();
  EXPECT_EQ(largest_eigenvalue(data.view(), false, source.get_token()), 0.0);
}

}  // namespace
