// SPDX-License-Identifier: Apache-2.0
// The host form of the kernels of matrix factorisation against serial training in double precision, and with several
// threads.
#include "kernels/factor_rows.hpp"

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "factor_problem.hpp"
#include "margin_problem.hpp"  // relative_error
#include "support/fresh_seed.hpp"
#include "support/threads.hpp"

using namespace hogwild;

namespace {

struct host_factor_rows : test::fresh_seed<testing::TestWithParam<test::factor_training>> {};

// A rating's error of at most 6 is rounded some fifteen times, by 2^-24 * 6 each: 5e-6 in the worst case. A step of
// 0.03, or of 0.1 under row_adagrad, passes 1e-6 of that on to two rows of length 1 and two biases. The norm of all
// weights is near 5 and that of the sums near 4: 1e-6 is never reached.
TEST_P(host_factor_rows, one_step_is_that_of_double_precision) {
  for (int i = 0; i < 20; ++i) {
    test::factor_problem one(random, 1, GetParam());
    const auto expected = one.trained();
    device::train_factor_rows(one.work(), 0, 1);
    EXPECT_LE(test::relative_error(one.weights, expected.weights), 1e-6);
    EXPECT_LE(test::relative_error(one.sums, expected.sums), 1e-6);
  }
}

// A rating adds an error of 5e-9 in the mean square and 2e-7 at most, as the steps above do, and multiplies the errors
// of its rows by at most 1 + 0.1 * 6; in 10 to 15 ratings of each row that is less than 2 in all, since errors shrink.
// 300 errors of either sign add up to 5e-6 with a probability below
// 2 exp(-1.25e-11 / (300 * 2.5e-17 + 2e-7 * 5e-6 / 3)) < 1e-15 (Bernstein).
TEST_P(host_factor_rows, an_epoch_is_that_of_double_precision) {
  test::factor_problem many(random, 300, GetParam());
  const auto expected = many.trained();
  device::train_factor_rows(many.work(), 0, 1);
  EXPECT_LE(test::relative_error(many.weights, expected.weights), 1e-5);
  EXPECT_LE(test::relative_error(many.sums, expected.sums), 1e-5);
}

TEST_P(host_factor_rows, parts_train_their_own_ratings) {
  test::factor_problem many(random, 60, GetParam());
  constexpr std::size_t parts = 7, first = 3, last = 55;
  std::vector<std::size_t> order;
  for (std::size_t part = 0; part < parts; ++part) {
    for (std::size_t r = first + part; r < last; r += parts) order.push_back(r);
  }
  const auto expected = many.trained(order);
  device::factor_work work = many.work();
  std::uint64_t updates = 5;
  work.updates = &updates;
  work.first = first;
  work.count = last - first;
  for (std::size_t part = 0; part < parts; ++part) device::train_factor_rows(work, part, parts);
  device::train_factor_rows(work, 60, 61);  // which has none
  EXPECT_LE(test::relative_error(many.weights, expected.weights), 1e-5);
  EXPECT_EQ(updates, 5 + last - first);
}

TEST_P(host_factor_rows, columns_that_pad_stay_zero) {
  test::factor_problem many(random, 100, GetParam());
  const std::size_t width = GetParam().width;
  for (std::size_t c = 0; c < test::factor_problem::columns; ++c) many.weights[(c + 1) * width - 1] = 0.0f;
  device::train_factor_rows(many.work(), 0, 1);
  for (std::size_t c = 0; c < test::factor_problem::columns; ++c) EXPECT_EQ(many.weights[(c + 1) * width - 1], 0.0f);
}

INSTANTIATE_TEST_SUITE_P(trainings, host_factor_rows, testing::ValuesIn(test::factor_trainings));

/// Each user's one rating of the same item, whose row and bias every rating changes by 1, which floats hold without
/// rounding: users' factors are 1, the item's 0, and beside the rating of 2^50 all else of the error is lost.
struct one_item {
  static constexpr std::uint32_t width = 16;
  static constexpr float value = 0x1p50f;
  std::uint32_t users;
  std::vector<rating> ratings;
  std::vector<float> weights, sums;

  explicit one_item(std::uint32_t n) : users(n), weights((n + 1) * (width + 1)), sums(weights.size()) {
    for (std::uint32_t u = 0; u < n; ++u) ratings.push_back({u, 0, value});
    std::fill_n(weights.begin(), n * width, 1.0f);
  }
  device::factor_work work() {
    return {.ratings = ratings.data(),
            .count = users,
            .weights = weights.data(),
            .users = users,
            .columns = users + 1u,
            .width = width,
            .bias = true,
            .step = 1.0f / value};
  }
  /// The item's factors, and its bias.
  std::vector<float> of_item(const std::vector<float>& values) const {
    const auto row = values.begin() + users * width;
    std::vector<float> item(row, row + width);
    item.push_back(values.back());
    return item;
  }
  void train_by_threads(const device::factor_work& work, std::size_t threads) const {
    test::run_together(threads, [&](std::size_t part) { device::train_factor_rows(work, part, threads); });
  }
};

TEST(host_factor_threads, exact_keep_every_add) {
  constexpr std::uint32_t users = 200'000;
  one_item data(users);
  device::factor_work work = data.work();
  work.update = update_kind::exact;
  std::uint64_t updates = 0;
  work.updates = &updates;
  data.train_by_threads(work, 4);
  EXPECT_EQ(data.of_item(data.weights), std::vector<float>(one_item::width + 1, users));
  EXPECT_EQ(updates, users);
}

// Squares of 2^50 add up to less than 2^118, and the factors that result are too small to change the error.
TEST(host_factor_threads, exact_keep_every_square) {
  constexpr std::uint32_t users = 200'000;
  one_item data(users);
  device::factor_work work = data.work();
  work.update = update_kind::exact;
  work.sums = data.sums.data();
  data.train_by_threads(work, 4);
  std::vector<float> expected(one_item::width + 1);
  expected.front() = expected.back() = users * 0x1p100f;
  EXPECT_EQ(data.of_item(data.sums), expected);
}

TEST(host_factor_threads, that_are_lossy_keep_some_adds_and_invent_none) {
  constexpr std::uint32_t users = 50'000;
  one_item data(users);
  data.train_by_threads(data.work(), 4);
  for (const float w : data.of_item(data.weights)) {
    EXPECT_GT(w, 0.0f);
    EXPECT_LE(w, users);
    EXPECT_EQ(w, std::floor(w));
  }
}

TEST(host_factor_threads, refuse_locked_updates) {
  one_item data(1);
  device::factor_work work = data.work();
  work.update = update_kind::locked;
  EXPECT_THROW(device::train_factor_rows(work, 0, 1), std::invalid_argument);
}

}  // namespace
