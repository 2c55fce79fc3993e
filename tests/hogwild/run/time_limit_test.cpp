// SPDX-License-Identifier: Apache-2.0
// A run whose time is over ends as after its last epoch.
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <stop_token>
#include <string_view>
#include <thread>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/cross_validation.hpp>
#include <hogwild/detail/results/checkpoint.hpp>
#include <hogwild/detail/run/run_checkpoint.hpp>
#include <hogwild/detail/run/time_limit.hpp>
#include <hogwild/engines.hpp>
#include <hogwild/error.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/several_models.hpp>
#include <hogwild/train.hpp>

#include "support/scratch_folder.hpp"
#include "support/toy_data.hpp"

namespace hogwild {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr double at_once = 1e-9;  ///< seconds, which are over before a row is trained

/// A row takes a millisecond, so that an epoch takes twenty seconds and more.
struct unhurried_squares : least_squares {
  static constexpr std::string_view name = "unhurried_squares";
  float derivative(float margin, float label) const {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return least_squares::derivative(margin, label);
  }
};

struct limited_run : testing::Test {
  test::kept_rows data = test::planted_regression({.rows = 20'000, .columns = 20}, 0.5);
  train_options options{.epochs = 1'000'000, .step = {.initial = 0.01}, .l2 = 0.0};

  train_result run() const { return train(least_squares{}, data, serial_engine{}, options); }
  train_result ensemble() const {
    return train_ensemble(least_squares{}, data, serial_engine{}, {.models = 3}, options);
  }
  double loss_of(const std::vector<float>& w) const {
    return train(least_squares{}, data, serial_engine{},
                 {.epochs = 1,
                  .step = {.initial = 1e-30},
                  .l2 = 0.0,
                  .initial = [&w](std::span<float> fresh) { std::ranges::copy(w, fresh.begin()); }})
        .train_loss;
  }
  /// Twice as long, until a row was trained: a busy machine may be slow to begin.
  template <class Engine>
  train_result cut_in_an_epoch(const Engine& engine) {
    for (double seconds = 0.05;; seconds *= 2.0) {
      options.max_seconds = seconds;
      const train_result run = train(unhurried_squares{}, data, engine, options);
      if (run.examples > 0) return run;
      EXPECT_EQ(run.status, run_status::stopped);
    }
  }
};

TEST(time_limit, is_over_by_the_clock) {
  const auto now = time_limit::clock::now();
  const time_limit over(1.0, now - std::chrono::seconds(2)), none(std::nullopt, now), far(1e300, now);
  EXPECT_TRUE(over.is_over());
  EXPECT_TRUE(over.token().stop_requested());
  for (const time_limit* limit : {&none, &far}) {
    EXPECT_FALSE(limit->is_over());
    EXPECT_FALSE(limit->token().stop_requested());
  }
}

TEST(time_limit, passes_a_request_on) {
  std::stop_source source;
  const time_limit limit(1e300, time_limit::clock::now(), source.get_token());
  source.request_stop();
  EXPECT_TRUE(limit.token().stop_requested());
  EXPECT_FALSE(limit.is_over());
}

TEST_F(limited_run, ends_in_the_middle_of_an_epoch_and_measures_what_it_returns) {
  const auto expect_done = [this](const train_result& run) {
    EXPECT_EQ(run.status, run_status::done);
    EXPECT_EQ(run.stopped_by, stop_cause::time_limit);
    EXPECT_EQ(run.epochs, 0u);
    EXPECT_LT(run.examples, 20'000u);
    EXPECT_NEAR(run.train_loss, loss_of(run.parameters), 1e-5 * run.train_loss);
  };
  expect_done(cut_in_an_epoch(serial_engine{}));
  options.sharing = sharing_kind::direct;  // else a trial of the exchange period would take a second and more
  expect_done(cut_in_an_epoch(thread_engine{.workers = 2, .team = thread_team_kind::std, .pin = false}));
  options.sharing = sharing_kind::automatic;
  expect_done(cut_in_an_epoch(sync_engine{.workers = 2, .rows = 8, .pin = false}));
}

TEST_F(limited_run, ends_between_epochs_and_counts_those_it_has_trained) {
  data = test::planted_regression({.rows = 20, .columns = 20}, 0.5);
  options.epochs = std::numeric_limits<std::size_t>::max();
  options.step.decay = 1.0;
  train_result ended;
  for (options.max_seconds = 0.01; ended.epochs == 0; *options.max_seconds *= 2.0) ended = run();
  EXPECT_EQ(ended.status, run_status::done);
  EXPECT_EQ(ended.stopped_by, stop_cause::time_limit);
  EXPECT_TRUE(std::isfinite(ended.train_loss));
}

TEST_F(limited_run, that_had_no_time_to_train_a_row_is_no_success_whoever_has_asked) {
  options.max_seconds = at_once;
  std::stop_source source;
  options.stop = source.get_token();
  for (const stop_cause cause : {stop_cause::time_limit, stop_cause::request}) {
    if (cause == stop_cause::request) source.request_stop();
    const train_result ended = run();
    EXPECT_EQ(ended.status, run_status::stopped);
    EXPECT_EQ(ended.stopped_by, cause);
    EXPECT_EQ(ended.examples, 0u);
  }
}

TEST_F(limited_run, of_several_models_that_had_no_time_to_find_steps_trains_nothing) {
  options.max_seconds = at_once;
  options.step = {};
  options.l2 = 1e-4;
  const auto expect = [&](stop_cause cause) {
    const train_result ended = ensemble();
    EXPECT_EQ(ended.status, run_status::stopped);
    EXPECT_EQ(ended.stopped_by, cause);
    EXPECT_EQ(ended.epochs, 0u);
    EXPECT_EQ(ended.examples, 0u);
    EXPECT_FALSE(ended.step_found);
    EXPECT_TRUE(std::isnan(ended.objective));
  };
  expect(stop_cause::time_limit);
  std::stop_source source;
  source.request_stop();
  options.stop = source.get_token();
  expect(stop_cause::request);
}

TEST_F(limited_run, that_is_resumed_counts_its_own_seconds_alone) {
  const test::scratch_folder folder;
  options.epochs = 1;
  options.checkpoint = folder / "run";
  const train_result first = run();
  checkpoint state = read_checkpoint(options.checkpoint);
  auto progress = state.get<run_progress>("progress");
  progress.wall_seconds = progress.train_seconds = 1e9;
  state.put("progress", progress);
  write_checkpoint(options.checkpoint, state);

  options.resume = std::exchange(options.checkpoint, "");
  options.epochs = 3;
  options.max_seconds = 1e8;
  const train_result whole = run();
  EXPECT_EQ(whole.status, run_status::done);
  EXPECT_FALSE(whole.stopped_by);
  EXPECT_EQ(whole.epochs, 3u);
  EXPECT_GE(whole.wall_seconds, 1e9) << "those go on";

  options.max_seconds = at_once;
  const train_result none = run();
  EXPECT_EQ(none.status, run_status::done) << "there is a model";
  EXPECT_EQ(none.stopped_by, stop_cause::time_limit);
  EXPECT_EQ(none.epochs, 1u);
  EXPECT_EQ(none.parameters, first.parameters);
  EXPECT_NEAR(none.objective, first.objective, 1e-6 * first.objective);
}

TEST_F(limited_run, with_time_enough_is_as_without_a_limit) {
  options.epochs = 2;
  const train_result without = run();
  options.max_seconds = 1e300;
  const train_result ended = run();
  EXPECT_EQ(ended.status, run_status::done);
  EXPECT_FALSE(ended.stopped_by);
  EXPECT_EQ(ended.parameters, without.parameters);
}

TEST_F(limited_run, of_several_models_ends_with_the_pass_at_hand) {
  options.max_seconds = at_once;
  options.l2 = 1e-4;
  for (const optimizer_kind by : {optimizer_kind::sgd, optimizer_kind::momentum}) {  // together, and one by one
    options.optimizer = by;
    const train_result ended = ensemble();
    EXPECT_EQ(ended.status, run_status::done);
    EXPECT_EQ(ended.stopped_by, stop_cause::time_limit);
    EXPECT_EQ(ended.epochs, 1u);
  }
}

TEST_F(limited_run, has_seconds_above_0) {
  for (const double seconds : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    options.max_seconds = seconds;
    EXPECT_THAT([&] { run(); }, ThrowsMessage<config_error>(HasSubstr("max_seconds"))) << seconds;
  }
}

}  // namespace
}  // namespace hogwild
