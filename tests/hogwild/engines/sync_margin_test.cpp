// SPDX-License-Identifier: Apache-2.0
// Linear models by the mean gradient of all ranks: momentum, l1, and steps that fall within an epoch.
#include <hogwild/engines.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/math/proximal.hpp>
#include <hogwild/detail/math/schedule.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/train.hpp>

#include "support/refusal.hpp"
#include "support/sync_reference.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;
using testing::HasSubstr;

namespace {

sync_engine gradients_of(std::size_t workers, std::size_t rows, sync_rule rule = sync_rule::gradients) {
  return {.workers = workers, .rule = rule, .rows = rows, .pin = false};
}

/// The effect of a meeting, in double precision. A falling step has the size at the position where the ranks meet, or,
/// by chunks, where each row's chunk begins.
struct rule_by_hand {
  step_schedule schedule{};
  double momentum = 0.0, l1 = 0.0, l2 = 0.0;
  bool by_chunks = false;
};

std::vector<double> train_by_hand(const test::toy_rows& toy, std::size_t ranks, std::size_t between,
                                  const rule_by_hand& rule, std::size_t epochs) {
  const auto n = static_cast<double>(toy.rows());
  const auto chunk = static_cast<double>(chunk_plan::choose(toy.rows(), toy.index.size()).rows_per_chunk());
  std::vector<double> w(toy.columns), velocity(toy.columns);
  for (std::size_t epoch = 1; epoch <= epochs; ++epoch) {
    const auto rows = test::rows_of_ranks(toy, ranks, 1, epoch);
    const double from = rule.schedule.at(epoch), to = rule.schedule.at_end(epoch);
    const auto step_at = [&](double position) { return from + (to - from) * std::min(position / n, 1.0); };
    double met = 0.0, meetings = 0.0, most = 0.0;
    for (std::size_t at = 0;; at += between) {
      std::vector<double> sum(toy.columns);
      double all = 0.0;
      for (const auto& own : rows) {
        for (std::size_t i = at; i < std::min(own.size(), at + between); ++i, ++all) {
          const double begun = std::floor(static_cast<double>(i) / chunk) * chunk * static_cast<double>(ranks);
          const double of_row = rule.by_chunks ? step_at(std::min(begun, n)) / step_at(met) : 1.0;
          test::add_logistic_gradient(toy, own[i], w, of_row, sum);
        }
      }
      if (all == 0.0) break;
      most = std::max(most, all);
      const double step = all / most * step_at(met);  // fewer rows make a shorter step
      for (std::size_t j = 0; j < w.size(); ++j) {
        const double lasts = 1.0 / (1.0 - rule.momentum);
        const double l2 = rule.momentum > 0.0 ? rule.l2 / (1.0 + step * lasts * rule.l2) : 0.0;
        velocity[j] = rule.momentum * velocity[j] + sum[j] / all + l2 * w[j];
        w[j] -= step * velocity[j];
        w[j] = soft_threshold(w[j], (1.0 - l1_at_the_gate) * step * rule.l1);
        if (rule.momentum == 0.0) w[j] /= 1.0 + step * rule.l2;
      }
      met += all, meetings += all / most;
    }
    for (double& x : w) x = soft_threshold(x, l1_at_the_gate * 0.5 * (from + to) * meetings * rule.l1);
  }
  return w;
}

train_options options_of(const rule_by_hand& rule, std::size_t epochs) {
  train_options options{.epochs = epochs, .l2 = rule.l2, .l1 = rule.l1, .batch = 1};
  options.step = {.initial = rule.schedule.initial, .kind = rule.schedule.kind};
  if (rule.schedule.kind != schedule_kind::constant) options.step.decay = rule.schedule.decay;
  if (rule.momentum > 0.0) {
    options.optimizer = optimizer_kind::momentum;
    options.constants.momentum = rule.momentum;
  }
  return options;
}

// Sums of at most 640 floats of about 1, in 30 or 240 steps: rounding of about 1e-7 each.
void expect_by_hand(const rule_by_hand& rule) {
  const auto toy = test::planted_classification({.rows = 640, .columns = 30});
  for (const std::size_t workers : {1u, 2u, 4u}) {
    for (const std::size_t between : {8u, 64u}) {
      const auto run = train(logistic{}, toy.csr(), gradients_of(workers, between), options_of(rule, 3));
      const auto expected = train_by_hand(toy, workers, between, rule, 3);
      ASSERT_EQ(run.parameters.size(), expected.size());
      for (std::size_t j = 0; j < expected.size(); ++j)
        EXPECT_NEAR(static_cast<double>(run.parameters[j]), expected[j], 2e-5)
            << "parameter " << j << ", " << workers << " workers, every " << between;
    }
  }
}

step_schedule steady(double step) {
  return {.kind = schedule_kind::constant, .initial = step, .epochs = 3};
}

TEST(sync_margin, momentum_is_that_of_the_mean_gradient) {
  expect_by_hand({.schedule = steady(0.2), .momentum = 0.9});
  expect_by_hand({.schedule = steady(0.2), .momentum = 0.5, .l2 = 0.01});
}

TEST(sync_margin, l1_is_a_proximal_step_of_the_mean_gradient) {
  expect_by_hand({.schedule = steady(0.5), .l1 = 0.01});
  expect_by_hand({.schedule = steady(0.5), .l1 = 0.01, .l2 = 0.02});
}

TEST(sync_margin, a_linear_schedule_falls_from_meeting_to_meeting_or_from_chunk_to_chunk) {
  const step_schedule linear{.kind = schedule_kind::linear, .initial = 0.4, .decay = 0.3, .epochs = 3};
  expect_by_hand({.schedule = linear, .momentum = 0.9});
  expect_by_hand({.schedule = linear, .l1 = 0.01});
  expect_by_hand({.schedule = linear, .by_chunks = true});
}

TEST(sync_margin, a_cosine_falls_from_epoch_to_epoch) {
  const step_schedule cosine{.kind = schedule_kind::cosine, .initial = 0.4, .decay = 0.1, .epochs = 3};
  expect_by_hand({.schedule = cosine});
  expect_by_hand({.schedule = cosine, .momentum = 0.9});
  expect_by_hand({.schedule = cosine, .l1 = 0.01});
}

// One rank that meets after each row makes the steps of the serial engine if these move all columns: without l2, always
// under momentum and adagrad; with l2 or l1, which the serial engine applies to a row's columns, if all rows have all
// columns. The owed steps of momentum are then summed in another way, with other bits.
TEST(sync_margin, of_one_rank_and_one_row_is_the_serial_engine) {
  const auto sparse = test::planted_classification({.rows = 300, .columns = 20});
  const auto dense = test::planted_classification({.rows = 300, .columns = 6, .per_row = 6});
  const auto expect_alike = [](const test::toy_rows& toy, train_options options) {
    options.epochs = 4, options.batch = 1;
    options.step = {.initial = 0.05, .decay = 0.9};
    const auto run = train(logistic{}, toy.csr(), gradients_of(1, 1), options);
    const auto serial = train(logistic{}, toy.csr(), serial_engine{}, options);
    ASSERT_EQ(run.parameters.size(), serial.parameters.size());
    for (std::size_t j = 0; j < run.parameters.size(); ++j)
      EXPECT_NEAR(run.parameters[j], serial.parameters[j], 2e-5f) << "parameter " << j;
    EXPECT_NEAR(run.objective, serial.objective, 1e-5);
  };
  for (const bool bias : {false, true}) {
    expect_alike(sparse, {.l2 = 0.0, .optimizer = optimizer_kind::momentum, .bias = bias});
    expect_alike(sparse, {.l2 = 0.0, .optimizer = optimizer_kind::adagrad, .bias = bias});
    expect_alike(dense, {.l2 = 0.01, .optimizer = optimizer_kind::momentum, .bias = bias});
    expect_alike(dense, {.l2 = 0.01, .optimizer = optimizer_kind::adagrad, .bias = bias});
    expect_alike(dense, {.l2 = 0.01, .optimizer = optimizer_kind::adam, .bias = bias});
    expect_alike(dense, {.l2 = 0.01, .l1 = 0.01, .bias = bias});
  }
}

TEST(sync_margin, repeats_to_the_bit_and_makes_weights_zero) {
  const auto toy = test::planted_classification({.rows = 1'000, .columns = 60});
  train_options options{.epochs = 5, .step = {.initial = 1.0, .kind = schedule_kind::linear}, .l2 = 0.0, .l1 = 0.004};
  const auto first = train(logistic{}, toy.csr(), gradients_of(3, 16), options);
  EXPECT_EQ(first.parameters, train(logistic{}, toy.csr(), gradients_of(3, 16), options).parameters);
  EXPECT_GT(std::ranges::count(first.parameters, 0.0f), 10);
  EXPECT_LT(std::ranges::count(first.parameters, 0.0f), 60);
  options.l1 = 0.0;
  options.optimizer = optimizer_kind::momentum;
  options.step.initial = 0.1;
  const auto moving = train(logistic{}, toy.csr(), gradients_of(3, 16), options);
  EXPECT_EQ(moving.parameters, train(logistic{}, toy.csr(), gradients_of(3, 16), options).parameters);
}

TEST(sync_margin, names_what_is_not_one_step_of_the_mean) {
  const auto toy = test::planted_classification({.rows = 100, .columns = 10});
  const auto refused = [&](const auto& engine, train_options options) -> std::string {
    options.step.initial = 0.1;
    return test::refusal_of([&] { train(logistic{}, toy.csr(), engine, options); });
  };
  const auto gathered = gradients_of(2, 8), averaged = gradients_of(2, 8, sync_rule::average);
  EXPECT_THAT(refused(gathered, {.l1 = 0.01, .optimizer = optimizer_kind::adagrad}), HasSubstr("under sgd"));
  EXPECT_THAT(refused(gathered, {.optimizer = optimizer_kind::ftrl}), HasSubstr("ftrl"));
  const train_options falls{.step = {.kind = schedule_kind::linear}};
  EXPECT_THAT(refused(averaged, falls), HasSubstr("under all_reduce: use that engine, or a "));
  EXPECT_EQ(refused(averaged, falls), refused(serial_engine{}, falls));
}

}  // namespace
