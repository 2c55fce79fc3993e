// SPDX-License-Identifier: Apache-2.0
// Ranks that meet exchange arrays, or pairs of index and value if few parameters were touched.
#include <gtest/gtest.h>

#include <vector>

#include <hogwild/engines.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/softmax.hpp>
#include <hogwild/train.hpp>

#include "support/sanitizers.hpp"
#include "support/sync_reference.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;

namespace {

sync_engine meeting_ranks(std::size_t workers, std::size_t rows) {
  return {.workers = workers, .rows = rows, .pin = false};
}

/// The same rows with so many more columns that meetings use pairs.
test::toy_rows among(const test::toy_rows& toy, std::size_t columns) {
  test::toy_rows wide = toy;
  wide.columns = columns;
  return wide;
}

void expect_equal_beginning(const std::vector<float>& wide, const std::vector<float>& narrow, std::size_t n) {
  ASSERT_LE(n, wide.size());
  ASSERT_LE(n, narrow.size());
  for (std::size_t j = 0; j < n; ++j) ASSERT_EQ(wide[j], narrow[j]) << "parameter " << j;
}

// Runs in which all meetings use arrays, or all use pairs, because rows touch 60 of 20,000 parameters.
TEST(rank_meeting, pairs_give_the_bits_of_arrays) {
  const auto two = test::planted_classification({.rows = 700, .columns = 60});
  const auto three = test::planted_classes({.rows = 700, .columns = 60}, 3);
  const auto wide_two = among(two, 20'000), wide_three = among(three, 20'000);
  for (const std::size_t workers : {1u, 2u, 3u, 5u}) {
    if (test::thread_sanitized && workers % 2 == 0) continue;
    for (const bool bias : {false, true}) {
      const train_options options{.epochs = 3, .step = {.initial = 0.5, .decay = 0.8}, .l2 = 0.01, .bias = bias};
      const auto arrays = train(logistic{}, two.csr(), meeting_ranks(workers, 4), options);
      const auto pairs = train(logistic{}, wide_two.csr(), meeting_ranks(workers, 4), options);
      ASSERT_TRUE(arrays.meetings && pairs.meetings);
      EXPECT_EQ(arrays.meetings->sparse, 0u);
      EXPECT_EQ(pairs.meetings->dense, 0u);
      EXPECT_GT(pairs.meetings->sparse, 0u);
      EXPECT_EQ(pairs.meetings->sparse, arrays.meetings->dense);
      expect_equal_beginning(pairs.parameters, arrays.parameters, 60);
      if (bias) {
        EXPECT_EQ(pairs.parameters.back(), arrays.parameters.back());
      }
      EXPECT_EQ(pairs.updates, arrays.updates);
    }
    const train_options options{.epochs = 3, .step = {.initial = 0.5, .decay = 0.8}, .l2 = 0.01};
    const auto arrays = train(softmax{.features = 60, .classes = 3}, three.csr(), meeting_ranks(workers, 4), options);
    const auto pairs =
        train(softmax{.features = 20'000, .classes = 3}, wide_three.csr(), meeting_ranks(workers, 4), options);
    EXPECT_EQ(arrays.meetings->sparse, 0u);
    EXPECT_EQ(pairs.meetings->dense, 0u);
    expect_equal_beginning(pairs.parameters, arrays.parameters, 180);
  }
}

/// Rows of 2 entries, except some in runs of 40, which have 100. Chunks are shuffled, so that long runs of one rank
/// meet short ones of another.
test::toy_rows of_two_lengths(std::size_t columns) {
  const auto few = test::planted_classification({.rows = 2'000, .columns = 600, .per_row = 2});
  const auto many = test::planted_classification({.rows = 2'000, .columns = 600, .per_row = 100});
  test::toy_rows toy;
  toy.columns = columns;
  for (std::size_t r = 0; r < few.rows(); ++r) toy.push_row(r / 40 % 3 == 1 ? many : few, r);
  return toy;
}

// A rank that has packed its pairs unpacks them where another one has too many.
TEST(rank_meeting, each_meeting_is_decided_for_itself_and_by_all) {
  const auto mixed = of_two_lengths(2'400), wide = of_two_lengths(600'000);
  for (const std::size_t workers : {2u, 3u}) {
    const train_options options{.epochs = 2, .step = {.initial = 1.0, .kind = schedule_kind::constant}, .l2 = 0.0};
    const auto both = train(logistic{}, mixed.csr(), meeting_ranks(workers, 8), options);
    const auto pairs = train(logistic{}, wide.csr(), meeting_ranks(workers, 8), options);
    EXPECT_GT(both.meetings->dense, 0u);
    EXPECT_GT(both.meetings->sparse, 0u);
    EXPECT_EQ(pairs.meetings->dense, 0u);
    EXPECT_EQ(both.meetings->dense + both.meetings->sparse, pairs.meetings->sparse);
    expect_equal_beginning(pairs.parameters, both.parameters, 600);
    const auto expected = test::train_by_hand(mixed, {workers, 8, false, 1.0}, 2);
    for (std::size_t j = 0; j < 600; ++j)
      EXPECT_NEAR(static_cast<double>(both.parameters[j]), expected[j], 1e-4) << "parameter " << j;
  }
}

// 640 rows of 4 entries, 10 chunks for each of 2 ranks: 40 meetings of 8 rows of each, and 320 parameters or pairs.
TEST(rank_meeting, counts_what_each_rank_hands_over) {
  const auto toy = test::planted_classification({.rows = 640, .columns = 100, .per_row = 4});
  const train_options options{.epochs = 3, .step = {.initial = 0.5}};
  const auto arrays = train(logistic{}, toy.csr(), meeting_ranks(2, 8), options);
  ASSERT_TRUE(arrays.meetings);
  EXPECT_EQ(arrays.meetings->ranks, 2u);
  EXPECT_EQ(arrays.meetings->dense, 3u * 40u);
  EXPECT_EQ(arrays.meetings->bytes, 3u * 40u * 100u * sizeof(float));
  EXPECT_GT(arrays.meetings->seconds, 0.0);
  EXPECT_LE(arrays.meetings->seconds, arrays.wall_seconds);

  const auto wide = among(toy, 10'000);
  const auto pairs = train(logistic{}, wide.csr(), meeting_ranks(2, 8), options);
  EXPECT_EQ(pairs.meetings->sparse, 3u * 40u);
  // No more than 32 different parameters a meeting, and at least those of one row.
  EXPECT_LE(pairs.meetings->bytes, 3u * 40u * 32u * 2u * sizeof(float));
  EXPECT_GE(pairs.meetings->bytes, 3u * 40u * 4u * 2u * sizeof(float));

  const sync_engine mean{.workers = 2, .rule = sync_rule::average, .rows = 8, .pin = false};
  train_options adagrad = options;
  adagrad.optimizer = optimizer_kind::adagrad;
  const auto means = train(logistic{}, wide.csr(), mean, adagrad);
  EXPECT_EQ(means.meetings->sparse, 0u);
  EXPECT_EQ(means.meetings->bytes, 3u * 40u * 2u * 10'000u * sizeof(float));

  EXPECT_FALSE(train(logistic{}, toy.csr(), serial_engine{}, options).meetings);
}

}  // namespace
