// SPDX-License-Identifier: Apache-2.0
// Synchronous training: the arithmetic of each rule, and that it repeats to the bit.
#include <hogwild/engines.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stop_token>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include <hogwild/models/least_squares.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/matrix_factorization.hpp>
#include <hogwild/models/softmax.hpp>
#include <hogwild/observer.hpp>
#include <hogwild/train.hpp>

#include "support/scratch_folder.hpp"
#include "support/sync_reference.hpp"
#include "support/toy_data.hpp"
#include "support/toy_ratings.hpp"

using namespace hogwild;

namespace {

sync_engine ranks_of(std::size_t workers, std::size_t rows, sync_rule rule = sync_rule::gradients) {
  return {.workers = workers, .rule = rule, .rows = rows, .pin = false};
}

constexpr sync_rule rules[] = {sync_rule::gradients, sync_rule::average};

struct by_hand : testing::TestWithParam<std::tuple<sync_rule, std::size_t, std::size_t>> {};

// Rows that no number of ranks divides, so that shards are of unequal length; with 70 ranks there are more than chunks,
// and with 400 rows between two meetings more than a shard has.
TEST_P(by_hand, equals_the_reference_in_double_precision) {
  const auto& [rule, workers, rows] = GetParam();
  const auto toy = test::planted_classification({.rows = 311, .columns = 30});
  const double step = rule == sync_rule::gradients ? 2.0 : 0.2;
  const auto run = train(
      logistic{}, toy.csr(), ranks_of(workers, rows, rule),
      {.epochs = 2, .step = {.initial = step, .kind = schedule_kind::constant}, .l2 = 0.0, .seed = 5, .batch = 1});
  EXPECT_EQ(run.workers, workers);
  EXPECT_EQ(run.examples, 2u * 311u);
  const auto expected = test::train_by_hand(toy, {workers, rows, rule == sync_rule::average, step, 5}, 2);
  // Sums of at most 311 floats of about 1: rounding of about 1e-7 each.
  for (std::size_t j = 0; j < expected.size(); ++j)
    EXPECT_NEAR(static_cast<double>(run.parameters[j]), expected[j], 2e-5) << "parameter " << j;
}

INSTANTIATE_TEST_SUITE_P(every, by_hand,
                         testing::Combine(testing::ValuesIn(rules), testing::Values(1u, 2u, 3u, 4u, 70u),
                                          testing::Values(1u, 7u, 64u, 400u)),
                         [](const auto& about) {
                           return (std::get<0>(about.param) == sync_rule::average ? "average_of_" : "gradients_of_") +
                                  std::to_string(std::get<1>(about.param)) + "_every_" +
                                  std::to_string(std::get<2>(about.param));
                         });

// Under momentum and adam a row owes steps to the columns that it lacks. Each rank has made all owed steps when the
// mean is taken, also at the last meeting of a round: 1 and 13 divide the rows of the first of two ranks.
TEST(sync_engine, takes_the_mean_of_ranks_that_owe_no_steps) {
  const auto toy = test::planted_classification({.rows = 311, .columns = 30});
  const auto with = [](optimizer_kind kind, double step) {
    return train_options{.epochs = 3,
                         .step = {.initial = step, .kind = schedule_kind::constant},
                         .l2 = 0.0,
                         .optimizer = kind,
                         .seed = 5};
  };
  for (const std::size_t workers : {1u, 2u, 3u})
    for (const std::size_t rows : {1u, 7u, 13u, 400u}) {
      const sync_engine ranks = ranks_of(workers, rows, sync_rule::average);
      const auto run = train(logistic{}, toy.csr(), ranks, with(optimizer_kind::momentum, 0.02));
      const auto expected = test::train_by_hand(toy, {workers, rows, true, 0.02, 5, 0.9}, 3);
      for (std::size_t j = 0; j < expected.size(); ++j)
        EXPECT_NEAR(static_cast<double>(run.parameters[j]), expected[j], 5e-5) << "parameter " << j;
      EXPECT_EQ(train(logistic{}, toy.csr(), ranks, with(optimizer_kind::adam, 0.01)).examples, 3u * 311u);
    }
}

// One rank that meets nobody after each row makes the steps of the serial engine. Kernels add them up in another order
// than row by row.
TEST(sync_engine, of_one_rank_and_one_row_is_the_serial_engine) {
  const auto three = test::planted_classes({.rows = 300, .columns = 20}, 3);
  const auto two = test::planted_classification({.rows = 300, .columns = 20});
  const softmax classes{.features = 20, .classes = 3};
  const train_options options{
      .epochs = 4, .step = {.initial = 0.3, .decay = 0.9}, .l2 = 0.0, .sharing = sharing_kind::direct};
  train_options own = options;
  own.sharing = sharing_kind::automatic;
  for (const sync_rule rule : rules) {
    const auto expect_alike = [&](const auto& model, const auto& rows) {
      const auto run = train(model, rows, ranks_of(1, 1, rule), own);
      const auto serial = train(model, rows, serial_engine{}, options);
      EXPECT_EQ(run.updates, serial.updates);
      ASSERT_EQ(run.parameters.size(), serial.parameters.size());
      for (std::size_t j = 0; j < run.parameters.size(); ++j)
        EXPECT_NEAR(run.parameters[j], serial.parameters[j], 1e-5f);
    };
    expect_alike(classes, three.csr());
    expect_alike(logistic{}, two.csr());
  }
}

TEST(sync_engine, one_rank_that_takes_means_is_the_serial_engine_whenever_it_meets) {
  const auto two = test::planted_classification({.rows = 300, .columns = 20});
  for (const optimizer_kind optimizer : {optimizer_kind::sgd, optimizer_kind::adagrad}) {
    const train_options options{
        .epochs = 4, .step = {.initial = 0.3, .decay = 0.9}, .l2 = 0.01, .optimizer = optimizer, .batch = 4};
    const auto serial = train(logistic{}, two.csr(), serial_engine{}, options);
    for (const std::size_t rows : {4u, 64u, 1'000u}) {
      EXPECT_EQ(train(logistic{}, two.csr(), ranks_of(1, rows, sync_rule::average), options).parameters,
                serial.parameters);
    }
  }
}

TEST(sync_engine, a_scaled_step_is_the_step_times_the_ranks) {
  const auto toy = test::planted_classification({.rows = 500, .columns = 20});
  auto scaled = ranks_of(4, 8);
  scaled.scale_step = true;
  // Powers of two: the product is exact wherever it is taken.
  const train_options small{.epochs = 3, .step = {.initial = 0.25, .kind = schedule_kind::constant}, .l2 = 0.01};
  const train_options large{.epochs = 3, .step = {.initial = 1.0, .kind = schedule_kind::constant}, .l2 = 0.01};
  const auto a = train(logistic{}, toy.csr(), scaled, small), b = train(logistic{}, toy.csr(), ranks_of(4, 8), large);
  for (std::size_t j = 0; j < 20; ++j) EXPECT_NEAR(a.parameters[j], b.parameters[j], 1e-4f);
  EXPECT_NEAR(a.objective, b.objective, 1e-5);
}

TEST(sync_engine, repeats_to_the_bit) {
  const auto two = test::planted_classification({.rows = 2'000, .columns = 100});
  const auto three = test::planted_classes({.rows = 1'000, .columns = 50}, 3);
  for (const sync_rule rule : rules) {
    for (const std::size_t workers : {2u, 3u}) {
      const auto once = [&] {
        return std::pair(train(logistic{}, two.csr(), ranks_of(workers, 16, rule), {.epochs = 4, .bias = true}),
                         train(softmax{.features = 50, .classes = 3}, three.csr(), ranks_of(workers, 16, rule),
                               {.epochs = 4, .l2 = 0.001}));
      };
      const auto first = once(), second = once();
      EXPECT_EQ(first.first.parameters, second.first.parameters);
      EXPECT_EQ(first.first.objective, second.first.objective);
      EXPECT_EQ(first.first.updates, second.first.updates);
      EXPECT_EQ(first.second.parameters, second.second.parameters);
    }
  }
}

TEST(sync_engine, goes_on_from_a_checkpoint_to_the_same_bits) {
  const test::scratch_folder folder;
  const auto toy = test::planted_classification({.rows = 1'000, .columns = 60});
  for (const sync_rule rule : rules) {
    const bool state = rule == sync_rule::average;
    train_options options{.epochs = 6,
                          .step = {.initial = 0.5, .decay = 0.9},
                          .l2 = 0.01,
                          .optimizer = state ? optimizer_kind::adagrad : optimizer_kind::sgd};
    const auto whole = train(logistic{}, toy.csr(), ranks_of(3, 16, rule), options);
    auto first = options, second = options;
    first.epochs = 3;
    first.checkpoint = second.resume = folder / (state ? "mean.ckpt" : "sum.ckpt");
    train(logistic{}, toy.csr(), ranks_of(3, 16, rule), first);
    const auto resumed = train(logistic{}, toy.csr(), ranks_of(3, 16, rule), second);
    EXPECT_EQ(resumed.epochs, 6u);
    EXPECT_EQ(resumed.parameters, whole.parameters);
    EXPECT_EQ(resumed.objective, whole.objective);
  }
}

// A step that is much too large ends in NaNs, which is not a fault of the ranks.
TEST(sync_engine, a_run_that_diverges_says_so) {
  const auto toy = test::planted_regression({.rows = 300, .columns = 20});
  for (const sync_rule rule : rules) {
    const auto run = train(least_squares{}, toy.csr(), ranks_of(3, 8, rule),
                           {.epochs = 60, .step = {.initial = 1e6, .kind = schedule_kind::constant}, .l2 = 0.0});
    EXPECT_EQ(run.status, run_status::diverged);
  }
}

TEST(sync_engine, stops_between_two_chunks_when_asked) {
  const auto toy = test::planted_classification({.rows = 2'000, .columns = 40});
  for (const sync_rule rule : rules) {
    std::stop_source source;
    train_options options{.epochs = 1'000'000, .step = {.initial = 0.1}};
    options.stop = source.get_token();
    options.observers = {[&](const epoch_report& e) {
      if (e.epoch == 2) source.request_stop();
    }};
    const auto run = train(logistic{}, toy.csr(), ranks_of(3, 16, rule), options);
    EXPECT_EQ(run.status, run_status::stopped);
    EXPECT_GE(run.epochs, 2u);
  }
}

TEST(sync_engine, meets_as_often_as_its_rule_needs) {
  const sync_engine gradients{}, mean{.rule = sync_rule::average};
  EXPECT_EQ(rows_between_meetings(gradients, 20'000), 64u);
  EXPECT_EQ(rows_between_meetings(gradients, 10), 64u);
  EXPECT_EQ(rows_between_meetings(mean, 20'000), 1'024u);
  EXPECT_EQ(rows_between_meetings(mean, 800), 100u);
  EXPECT_EQ(rows_between_meetings(mean, 3), 1u);
  for (const sync_rule rule : rules) EXPECT_EQ(rows_between_meetings({.rule = rule, .rows = 7}, 20'000), 7u);
}

// The step of single rows times the rows of a meeting (the linear rule), or that halved: four ranks make steps of 64
// rows by default, or of 256 here, and end where one worker ends. For columns that are alike nothing must be halved.
TEST(sync_engine, a_found_step_suits_the_rows_of_a_meeting) {
  const auto toy = test::planted_classification({.rows = 6'000, .columns = 400, .per_row = 10});
  const train_options options{.epochs = 10};
  const auto serial = train(logistic{}, toy.csr(), serial_engine{}, options);
  ASSERT_TRUE(serial.step_found);
  for (const std::size_t rows : {16u, 64u}) {
    const auto run = train(logistic{}, toy.csr(), ranks_of(4, rows), options);
    const double factor = run.step / serial.step, most = static_cast<double>(4 * rows);
    EXPECT_EQ(std::exp2(std::round(std::log2(most / factor))), most / factor) << rows << " rows: " << factor;
    EXPECT_LE(run.objective, 1.01 * serial.objective) << rows << " rows, step " << run.step;
  }
}

TEST(sync_engine, the_step_that_a_model_brings_suits_the_rows_of_a_meeting_too) {
  const test::toy_ratings_shape shape{.users = 60, .items = 40};
  const auto toy = test::planted_ratings(shape);
  const matrix_factorization m = test::factors_of(shape);
  const auto serial = train(m, toy.csr(), serial_engine{}, {.epochs = 10});
  const auto run = train(m, toy.csr(), ranks_of(2, 16), {.epochs = 10});
  EXPECT_FALSE(run.step_found);
  EXPECT_GE(run.step, 2.0 * serial.step);
  EXPECT_LT(run.objective, 1.5 * serial.objective);
}

TEST(sync_engine, says_what_a_given_step_means) {
  const auto toy = test::planted_classification({.rows = 2'000, .columns = 40});
  const auto notes_of = [&](sync_rule rule, std::optional<double> step, std::optional<double> decay) {
    const auto run =
        train(logistic{}, toy.csr(), ranks_of(2, 8, rule), {.epochs = 1, .step = {.initial = step, .decay = decay}});
    return std::ranges::count_if(run.notes, [](const std::string& s) { return s.starts_with("a step that is given"); });
  };
  EXPECT_EQ(notes_of(sync_rule::gradients, 0.1, {}), 1);
  EXPECT_EQ(notes_of(sync_rule::gradients, 0.1, 0.9), 0);
  EXPECT_EQ(notes_of(sync_rule::gradients, {}, {}), 0);
  EXPECT_EQ(notes_of(sync_rule::average, 0.1, {}), 0);
}

}  // namespace
