// SPDX-License-Identifier: Apache-2.0
// The host form of the kernels of factors in half storage, rating by rating against double precision rounded to halves.
#include <cmath>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "factor_problem.hpp"
#include "support/fresh_seed.hpp"
#include "support/threads.hpp"

using namespace hogwild;

namespace {

/// Between a number and its neighbours, as halves.
double half_spacing(double x) {
  int exponent = 0;
  std::frexp(x, &exponent);  // |x| in [2^(exponent - 1), 2^exponent)
  return std::ldexp(1.0, std::max(exponent - 11, -24));
}

struct host_half_factor_rows : test::fresh_seed<testing::TestWithParam<test::factor_training>> {};

// In float a step is off by less than 1e-6 (host_factor_rows), so that a half is off by that and half its spacing.
TEST_P(host_half_factor_rows, each_step_is_that_of_double_precision_rounded_to_nearest) {
  test::half_factor_problem many(random, 100, GetParam());
  double changed = 0.0;
  for (std::size_t r = 0; r < 100; ++r) {
    const std::size_t order[] = {r};
    const std::vector<double> expected = many.floats.trained(order).weights;
    const std::vector<float> before = many.floats.weights;
    device::factor_work work = many.work();
    work.first = r;
    work.count = 1;
    device::train_factor_rows(work, 0, 1);
    many.read_halves();
    for (std::size_t j = 0; j < expected.size(); ++j) {
      const double found = static_cast<double>(many.floats.weights[j]);
      const double rounding = j < many.halves_count() ? half_spacing(expected[j]) / 2 : 0.0;
      ASSERT_LE(std::abs(found - expected[j]), rounding + 1e-6) << "rating " << r << ", weight " << j;
      changed += std::abs(found - static_cast<double>(before[j]));
    }
  }
  EXPECT_GT(changed, 1.0);
}

TEST_P(host_half_factor_rows, threads_train_their_parts_at_the_same_time) {
  test::half_factor_problem many(random, 400, GetParam());
  device::factor_work work = many.work();
  std::uint64_t updates = 0;
  work.updates = &updates;
  constexpr std::size_t parts = 2;
  test::run_together(parts, [&](std::size_t k) { device::train_factor_rows(work, k, parts); });
  many.read_halves();
  EXPECT_EQ(updates, 400u);
  // An overtaken update is lost, but no pair is torn: parameters stay about as large as in serial training.
  for (std::size_t j = 0; j < many.halves_count(); ++j) ASSERT_LE(std::abs(many.floats.weights[j]), 4.0f) << j;
}

INSTANTIATE_TEST_SUITE_P(trainings, host_half_factor_rows, testing::ValuesIn(test::half_factor_trainings));

TEST(half_factor_rows, that_no_kernel_does_are_refused) {
  std::mt19937_64 random(1);
  test::half_factor_problem one(random, 1, {.width = 16});
  for (const update_kind update : {update_kind::exact, update_kind::locked}) {
    device::factor_work work = one.work();
    work.update = update;
    EXPECT_THROW(device::train_factor_rows(work, 0, 1), std::invalid_argument);
  }
  device::factor_work work = one.work();
  work.sums = one.floats.sums.data();
  EXPECT_THROW(device::train_factor_rows(work, 0, 1), std::invalid_argument);
  work = one.work();
  work.width = 15;
  EXPECT_THROW(device::train_factor_rows(work, 0, 1), std::invalid_argument);
}

}  // namespace
