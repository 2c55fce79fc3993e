// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/tail_mean.hpp>

#include <cstddef>
#include <span>
#include <stop_token>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/error.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/softmax.hpp>
#include <hogwild/observer.hpp>
#include <hogwild/train.hpp>

#include "support/heard_run.hpp"
#include "support/scratch_folder.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;
using testing::ElementsAre;

namespace {

TEST(tail_mean, takes_a_fraction_of_the_epochs_the_last_ones) {
  const tail_mean half(0.5, 7);
  EXPECT_EQ(half.epochs(), 4u);
  EXPECT_FALSE(half.takes(3));
  EXPECT_TRUE(half.takes(4));
  EXPECT_TRUE(half.takes(7));
  EXPECT_FALSE(half.takes(8));
  EXPECT_TRUE(tail_mean(1.0, 7).takes(1));
  EXPECT_FALSE(tail_mean().takes(1));
}

TEST(tail_mean, is_the_mean_of_what_was_added) {
  tail_mean m(1.0, 3);
  for (const float x : {1.0f, 2.0f, 6.0f}) m.add(std::vector<float>{x, -x});
  EXPECT_EQ(m.added(), 3u);
  EXPECT_THAT(m.value(), ElementsAre(3.0f, -3.0f));
  tail_mean other(1.0, 3);
  other.go_on({3.0, -3.0}, 2);
  other.add(std::vector<float>{6.0f, -6.0f});
  EXPECT_EQ(other.value(), m.value());
}

struct averaged_runs : testing::Test {
  const test::kept_rows data = test::planted_classification({.rows = 400, .columns = 60, .per_row = 8}, 0.2);
  test::heard_run heard;

  train_options options(std::size_t epochs) {
    return {.epochs = epochs, .step = {.initial = 0.5, .decay = 0.9}, .l2 = 0.01, .observers = {&heard}};
  }
  /// The parameters of a run of only so many epochs.
  template <class M>
  std::vector<float> after(const M& m, std::size_t epochs) {
    return train(m, data, serial_engine{}, options(epochs)).parameters;
  }
  template <class M>
  void expect_hand_kept_mean(const M& m) {
    train_options averaged = options(6);
    averaged.average = 0.5;
    const train_result run = train(m, data, serial_engine{}, averaged);
    std::vector<double> mean(run.parameters.size());
    for (const std::size_t epochs : {4u, 5u, 6u}) {
      const std::vector<float> w = after(m, epochs);
      for (std::size_t j = 0; j < w.size(); ++j) mean[j] += static_cast<double>(w[j]) / 3.0;
    }
    for (std::size_t j = 0; j < mean.size(); ++j) EXPECT_NEAR(static_cast<double>(run.parameters[j]), mean[j], 1e-6);
  }
};

TEST_F(averaged_runs, return_the_hand_kept_mean) {
  expect_hand_kept_mean(logistic{});
  expect_hand_kept_mean(softmax{.features = 60, .classes = 2});
}

TEST_F(averaged_runs, tell_of_the_mean_from_its_second_epoch_on) {
  train(logistic{}, data, serial_engine{}, options(6));
  const std::vector<double> plain = heard.each(&epoch_report::objective);
  heard.epochs.clear();
  train_options averaged = options(6);
  averaged.average = 0.5;
  const train_result run = train(logistic{}, data, serial_engine{}, averaged);
  const std::vector<double> told = heard.each(&epoch_report::objective);
  ASSERT_EQ(told.size(), 6u);
  for (std::size_t e = 0; e < 4; ++e) EXPECT_EQ(told[e], plain[e]);
  for (std::size_t e = 4; e < 6; ++e) EXPECT_NE(told[e], plain[e]);
  EXPECT_EQ(run.objective, told.back());
  // The reports are about the returned parameters.
  train_options again{.epochs = 1, .step = {.initial = 1e-30}, .l2 = 0.01, .observers = {&heard}};
  again.initial = [&](std::span<float> w) { std::ranges::copy(run.parameters, w.begin()); };
  EXPECT_NEAR(train(logistic{}, data, serial_engine{}, again).objective, run.objective, 1e-7);
}

TEST_F(averaged_runs, go_on_from_a_checkpoint) {
  const test::scratch_folder folder;
  train_options whole = options(8);
  whole.average = 0.75;
  const std::vector<float> expected = train(logistic{}, data, serial_engine{}, whole).parameters;
  std::stop_source stop;
  train_options first = whole;
  first.checkpoint = folder / "state";
  first.stop = stop.get_token();
  first.observers = {[&](const epoch_report& e) {
    if (e.epoch == 5) stop.request_stop();
  }};
  EXPECT_EQ(train(logistic{}, data, serial_engine{}, first).status, run_status::stopped);
  train_options rest = whole;
  rest.resume = folder / "state";
  EXPECT_EQ(train(logistic{}, data, serial_engine{}, rest).parameters, expected);
  rest.average.reset();
  EXPECT_THROW(train(logistic{}, data, serial_engine{}, rest), config_error);
}

TEST_F(averaged_runs, keep_the_best_mean_where_rows_validate) {
  train_options averaged = options(8);
  averaged.average = 0.5;
  averaged.validation = data.view();
  averaged.patience = 100;
  const train_result run = train(logistic{}, data, serial_engine{}, averaged);
  EXPECT_NEAR(run.validation->loss, run.train_loss, 1e-12);
}

}  // namespace
