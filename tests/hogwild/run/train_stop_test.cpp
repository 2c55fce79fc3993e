// SPDX-License-Identifier: Apache-2.0
// The end of a run: its time, its result, and the reports to observers.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/results/checkpoint.hpp>
#include <hogwild/detail/run/run_checkpoint.hpp>
#include <hogwild/error.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/softmax.hpp>
#include <hogwild/observer.hpp>
#include <hogwild/train.hpp>

#include "support/heard_run.hpp"
#include "support/scratch_folder.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;

namespace {

struct listener : test::heard_run {
  std::function<void(const epoch_report&)> then{};
  std::size_t starts = 0, finishes = 0, rows = 0;

  void on_start(const run_start& s) override { ++starts, rows = s.rows; }
  observer_answer on_epoch(const epoch_report& e) override {
    if (then) then(e);
    return heard_run::on_epoch(e);
  }
  void on_finish(const train_result&) override { ++finishes; }
};

/// Asks to stop while the first row is trained, once the run has begun.
struct hasty {
  static constexpr std::string_view name = "hasty";
  std::stop_source* source;
  const std::size_t* starts;

  double loss(float margin, float label) const {
    return 0.5 * static_cast<double>((margin - label) * (margin - label));
  }
  float derivative(float margin, float label) const {
    if (*starts > 0) source->request_stop();
    return margin - label;
  }
};

struct stopping : testing::Test {
  test::kept_rows data = test::planted_regression({.rows = 600, .columns = 20}, 0.5);
  listener heard;
  train_options options{.epochs = 30, .step = {.initial = 0.1}, .l2 = 0.01, .observers = {&heard}};

  train_result run() const { return train(least_squares{}, data, serial_engine{}, options); }
};

TEST_F(stopping, observers_hear_of_every_epoch_once_with_counts_that_grow) {
  options.epochs = 4;
  options.test = data.view().slice(0, 100);
  const auto result = run();
  EXPECT_EQ(heard.starts, 1u);
  EXPECT_EQ(heard.finishes, 1u);
  EXPECT_EQ(heard.rows, 600u);
  ASSERT_EQ(heard.epochs.size(), 4u);
  for (std::size_t e = 0; e < 4; ++e) {
    EXPECT_EQ(heard.epochs[e].epoch, e + 1);
    EXPECT_EQ(heard.epochs[e].examples, (e + 1) * 600);
    EXPECT_EQ(heard.epochs[e].nonzeros, (e + 1) * 3000);
    EXPECT_GT(heard.epochs[e].objective, heard.epochs[e].train_loss);
    EXPECT_TRUE(heard.epochs[e].test->rmse);
  }
  EXPECT_LT(heard.epochs[3].objective, heard.epochs[0].objective);
  EXPECT_EQ(result.objective, heard.epochs[3].objective);
  EXPECT_EQ(result.train_loss, heard.epochs[3].train_loss);
}

TEST_F(stopping, a_tolerance_of_epochs_without_progress_ends_a_run_that_no_longer_falls) {
  options.epochs = 200;
  options.tolerance = 1e-3;
  options.tolerance_epochs = 2;
  const auto result = run();
  EXPECT_EQ(result.status, run_status::no_progress);
  EXPECT_FALSE(result.gap);
  EXPECT_LT(result.epochs, 100u);
  EXPECT_GE(result.epochs, 3u);
}

TEST_F(stopping, a_tolerance_ends_a_run_that_is_as_close_to_the_optimum) {
  options.epochs = 200;
  options.tolerance = 1e-3;
  const auto result = run();
  EXPECT_EQ(result.status, run_status::converged);
  EXPECT_LE(*result.gap, 1e-3);
  double lowest = HUGE_VAL;
  for (const epoch_report& e : heard.epochs) {
    ASSERT_TRUE(e.gap);
    lowest = std::min(lowest, e.objective);
  }
  EXPECT_NEAR(result.objective, lowest, 1e-9);
  options.epochs = 2;
  heard.epochs.clear();
  const auto short_of_it = run();
  EXPECT_EQ(short_of_it.status, run_status::done);
  EXPECT_GT(*short_of_it.gap, 1e-3);
}

// A distance is known for one l2 of all columns.
TEST_F(stopping, a_tolerance_claims_nothing_where_columns_have_l2_of_their_own) {
  const test::toy_rows toy = test::planted_classes({.rows = 300, .columns = 20, .per_row = 5}, 3);
  const softmax m{.features = 20, .classes = 3};
  for (const l2_form form : {l2_form::by_degree, l2_form::per_occurrence}) {
    const train_result run =
        train(m, toy.csr(), serial_engine{}, {.epochs = 300, .l2 = 0.05, .form = form, .tolerance = 1e-3});
    const bool known = form == l2_form::by_degree;
    EXPECT_EQ(run.gap.has_value(), known);
    EXPECT_EQ(run.status == run_status::converged, known);
  }
}

// With a step that is far too large the objective goes up and down; the lowest one is returned.
TEST_F(stopping, under_a_tolerance_the_epoch_of_the_lowest_objective_is_returned) {
  options.epochs = 12;
  options.tolerance = 1e-9;
  options.step = {.initial = 0.7, .kind = schedule_kind::constant};
  const auto result = run();
  double lowest = HUGE_VAL;
  for (const epoch_report& e : heard.epochs) lowest = std::min(lowest, e.objective);
  EXPECT_LT(lowest, heard.epochs.back().objective);
  EXPECT_NEAR(result.objective, lowest, 1e-6 * lowest);
}

// Without a schedule the step is halved when the objective rises, and regains some of it when the objective falls.
TEST_F(stopping, under_a_tolerance_the_step_falls_where_the_objective_rises) {
  options.epochs = 12;
  options.tolerance = 1e-9;
  options.step = {.initial = 0.7};
  const auto result = run();
  EXPECT_EQ(result.schedule, schedule_kind::plateau);
  std::size_t rises = 0;
  for (std::size_t e = 2; e < heard.epochs.size(); ++e) {
    const bool rose = heard.epochs[e - 1].objective >= heard.epochs[e - 2].objective;
    const double before = heard.epochs[e - 1].step;
    EXPECT_DOUBLE_EQ(heard.epochs[e].step, rose ? 0.5 * before : std::min(1.05 * before, 0.7));
    rises += rose ? 1 : 0;
  }
  EXPECT_GT(rises, 0u);
}

TEST_F(stopping, measured_now_and_then_a_run_is_the_same_and_tells_of_fewer_epochs) {
  options.epochs = 7;
  const train_result each = run();
  const std::vector<epoch_report> told_of_each = std::exchange(heard.epochs, {});
  options.measure_every = 3;
  const train_result some = run();
  EXPECT_EQ(some.parameters, each.parameters);
  EXPECT_EQ(some.objective, each.objective);
  ASSERT_EQ(heard.epochs.size(), 3u);
  for (std::size_t k = 0; k < 3; ++k) {
    const epoch_report& now = heard.epochs[k];
    EXPECT_EQ(now.epoch, std::min<std::size_t>(3 * (k + 1), 7));
    EXPECT_EQ(now.objective, told_of_each[now.epoch - 1].objective);
    EXPECT_EQ(now.examples, now.epoch * 600);
  }
}

TEST_F(stopping, a_checkpoint_is_measured_where_it_would_be_without_one_and_says_which_epoch_was) {
  const test::scratch_folder folder;
  options.epochs = 7;
  options.measure_every = 5;
  options.checkpoint = (folder.path() / "run.ckpt").string();
  options.checkpoint_every = 2;
  checkpoint of_epoch_4;
  heard.then = [&](const epoch_report& e) {
    if (e.epoch == 5) of_epoch_4 = read_checkpoint(options.checkpoint);
  };
  const train_result whole = run();
  EXPECT_THAT(heard.each(&epoch_report::epoch), testing::ElementsAre(5, 7));
  EXPECT_EQ(of_epoch_4.epoch, 4u);
  EXPECT_EQ(measured_epoch_of_checkpoint(of_epoch_4), 0u);
  const checkpoint last = read_checkpoint(options.checkpoint);
  EXPECT_EQ(last.epoch, 7u);
  EXPECT_EQ(measured_epoch_of_checkpoint(last), 7u);

  options.resume = (folder.path() / "middle.ckpt").string();
  write_checkpoint(options.resume, of_epoch_4);
  const train_result resumed = run();
  EXPECT_EQ(resumed.parameters, whole.parameters);
  EXPECT_EQ(resumed.examples, whole.examples);
  EXPECT_THAT(heard.notes, testing::Contains(testing::HasSubstr("of epoch 4, which was not measured")));
}

TEST_F(stopping, a_checkpoint_is_written_after_so_many_seconds) {
  const test::scratch_folder folder;
  options.epochs = 4;
  options.checkpoint = (folder.path() / "run.ckpt").string();
  std::vector<std::uint64_t> seen;
  heard.then = [&](const epoch_report&) {
    seen.push_back(std::filesystem::exists(options.checkpoint) ? read_checkpoint(options.checkpoint).epoch : 0);
  };
  options.checkpoint_seconds = 1e-9;
  run();
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{0, 1, 2, 3}));
  std::filesystem::remove(options.checkpoint);
  std::filesystem::remove(options.checkpoint + ".previous");
  seen.clear();
  options.checkpoint_seconds = 1e9;
  run();
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{0, 0, 0, 0}));
  EXPECT_EQ(read_checkpoint(options.checkpoint).epoch, 4u);
  options.checkpoint_every = 2;
  EXPECT_THROW(run(), config_error);
}

TEST_F(stopping, a_tolerance_ends_a_run_after_an_epoch_that_is_measured) {
  options.tolerance = 1e-3;
  options.tolerance_epochs = 4;
  options.measure_every = 4;
  const auto result = run();
  EXPECT_EQ(result.status, run_status::no_progress);
  EXPECT_EQ(result.epochs % 4, 0u);
  ASSERT_GE(heard.epochs.size(), 2u);
  const auto& last = heard.epochs.back();
  const auto& before = heard.epochs[heard.epochs.size() - 2];
  EXPECT_LT(before.objective - last.objective, 4e-3 * before.objective);
}

TEST_F(stopping, a_target_ends_the_run_and_says_when) {
  options.target = target_option{"objective", 1e9};
  const auto result = run();
  EXPECT_EQ(result.status, run_status::target);
  EXPECT_EQ(result.epochs, 1u);
  EXPECT_TRUE(result.seconds_to_target);
  options.target = target_option{"objective", 0.0};
  EXPECT_EQ(run().status, run_status::done);
}

TEST_F(stopping, a_request_before_the_run_trains_nothing) {
  std::stop_source source;
  source.request_stop();
  options.stop = source.get_token();
  const auto result = run();
  EXPECT_EQ(result.status, run_status::stopped);
  EXPECT_EQ(result.epochs, 0u);
  EXPECT_EQ(result.examples, 0u);
}

TEST_F(stopping, a_request_in_the_first_epoch_is_told_no_loss) {
  std::stop_source source;
  options.stop = source.get_token();
  options.tolerance = 1e-3;  // the objective before the first epoch is measured, for comparison
  const auto result = train(hasty{.source = &source, .starts = &heard.starts}, data, serial_engine{}, options);
  EXPECT_EQ(result.status, run_status::stopped);
  EXPECT_EQ(result.epochs, 0u);
  EXPECT_TRUE(std::isnan(result.train_loss)) << result.train_loss;
  EXPECT_TRUE(std::isnan(result.objective)) << result.objective;
}

TEST_F(stopping, a_step_too_large_diverges_without_an_exception) {
  options.step.initial = 50.0;
  options.l2 = 0.0;
  const auto result = run();
  EXPECT_EQ(result.status, run_status::diverged);
  EXPECT_LT(result.epochs, 30u);
}

TEST_F(stopping, validation_returns_the_epoch_that_was_best) {
  // The step grows back: after some good epochs the loss rises, and patience ends the run.
  test::toy_rows noisy = test::planted_classification({.rows = 80, .columns = 60, .per_row = 20}, 0.3);
  const csr_rows rows = noisy.csr();
  options = {.epochs = 200, .step = {.initial = 0.5}, .l2 = 0.0, .patience = 5, .observers = {&heard}};
  options.validation_fraction = 0.5;
  const auto result = train(logistic{}, rows, serial_engine{}, options);
  EXPECT_EQ(result.status, run_status::no_progress);
  double best = HUGE_VAL;
  for (const epoch_report& e : heard.epochs) {
    EXPECT_EQ(e.examples, e.epoch * 40);  // the held-back half is not trained on
    best = std::min(best, e.validation->loss);
  }
  EXPECT_EQ(result.validation->loss, best);
  EXPECT_GT(heard.epochs.back().validation->loss, best);
}

TEST_F(stopping, validation_rows_of_their_own_decide_as_well) {
  const test::kept_rows other_rows = test::planted_regression({.rows = 100, .columns = 20, .seed = 77}, 0.5);
  options.validation = other_rows.view();
  options.patience = 1;
  const auto result = run();
  ASSERT_TRUE(result.validation);
  EXPECT_TRUE(result.validation->rmse);
  double best = HUGE_VAL;
  for (const epoch_report& e : heard.epochs) best = std::min(best, e.validation->loss);
  EXPECT_NEAR(result.validation->loss, best, 1e-6 * best);  // measured again with the scale multiplied in
}

}  // namespace
