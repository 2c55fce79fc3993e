// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/optimization/optimizer.hpp>

#include <array>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

using namespace hogwild;

namespace {

static_assert(optimizer<sgd<param_view<float, update::lossy>>, float>);
static_assert(optimizer<adagrad<param_view<double, update::exact>>, double>);
static_assert(sgd<param_view<float, update::lossy>>::state_arrays == 0 &&
              adagrad<param_view<float, update::lossy>>::state_arrays == 1);

TEST(sgd, subtracts_step_times_partial_and_says_where_it_started) {
  std::array<double, 2> w{1.0, 5.0};
  const sgd<param_view<double, update::exact>> o{param_view<double, update::exact>(std::span(w))};
  EXPECT_EQ(o.step(0, 4.0, 0.125), 1.0);
  EXPECT_EQ(w[0], 0.5);
  EXPECT_EQ(o.step(0, -1.0, 0.5), 0.5);
  EXPECT_EQ(w[0], 1.0);
  EXPECT_EQ(w[1], 5.0);
}

struct adagrad_of_two : testing::Test {
  using view = param_view<double, update::lossy>;
  std::array<double, 2> w{1.0, 2.0}, squares{};
  adagrad<param_view<double, update::lossy>> o{view(std::span(w)), view(std::span(squares))};
};

TEST_F(adagrad_of_two, divides_by_the_root_of_the_sum_of_squares) {
  // First: s = 9, w = 1 - 0.5 * 3 / 3 = 0.5. Second: s = 9 + 16 = 25, w = 0.5 - 0.5 * 4 / 5 = 0.1.
  EXPECT_EQ(o.step(0, 3.0, 0.5), 1.0);
  EXPECT_NEAR(w[0], 0.5, 1e-8);
  EXPECT_NEAR(o.step(0, 4.0, 0.5), 0.5, 1e-8);
  EXPECT_NEAR(w[0], 0.1, 1e-8);
  EXPECT_EQ(squares[0], 25.0);
  EXPECT_EQ(w[1], 2.0);
  EXPECT_EQ(squares[1], 0.0);
}

TEST_F(adagrad_of_two, first_step_has_the_length_of_the_step_whatever_the_partial) {
  o.step(0, 1e4, 0.25);
  o.step(1, -1e-2, 0.25);
  EXPECT_NEAR(w[0], 0.75, 1e-8);
  EXPECT_NEAR(w[1], 2.25, 1e-4);  // epsilon is seen beside 1e-4
}

TEST_F(adagrad_of_two, stays_finite_for_the_smallest_partial) {
  o.step(0, std::numeric_limits<double>::denorm_min(), 1.0);
  EXPECT_TRUE(std::isfinite(w[0]));
}

}  // namespace
