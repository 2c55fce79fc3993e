// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/math/regularizer.hpp>

#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace hogwild;

namespace {

TEST(scaled_l2, equals_the_shrink_of_every_row_in_turn) {
  const scaled_l2 l2{.scale = 0.75, .position = 100.0, .shrink = 1.0 - 0.3 * 1e-3};
  double a = l2.scale;
  for (int row = 100; row <= 5'000; ++row) {
    EXPECT_NEAR(l2.at(row), a, 1e-11 * a);
    a *= l2.shrink;
  }
}

TEST(scaled_l2, does_nothing_without_l2) {
  const scaled_l2 none{};
  EXPECT_EQ(none.at(0.0), 1.0);
  EXPECT_EQ(none.at(1e9), 1.0);
  EXPECT_EQ(scaled_l2::parts(1.0, 1e9), 1u);
}

RC_GTEST_PROP(scaled_l2, parts_keep_the_scale_above_the_smallest_and_are_not_more_than_needed, ()) {
  const double shrink = 1.0 - *rc::gen::inRange(1, 1'000'000) * 1e-6 * 0.99;
  const double rows = *rc::gen::inRange(1, 10'000'000);
  const std::size_t parts = scaled_l2::parts(shrink, rows);
  RC_ASSERT(parts >= 1u);
  const auto scale_after = [&](std::size_t n) { return std::pow(shrink, rows / static_cast<double>(n)); };
  RC_ASSERT(scale_after(parts) >= scaled_l2::smallest_scale * (1.0 - 1e-9));
  if (parts > 1) RC_ASSERT(scale_after(parts - 1) < scaled_l2::smallest_scale * (1.0 + 1e-9));
}

TEST(touched_l2, occurrences_of_an_epoch_sum_to_the_plain_l2_of_all_rows) {
  // To first order in step * l2: all occurrences together shrink by (1 - step * l2)^n, whatever the degree.
  constexpr double step = 0.1, l2 = 1e-7, n = 10'000;
  const touched_l2 touched{l2 * n};
  for (const std::uint32_t degree : {1u, 7u, 1'000u, 10'000u}) {
    const double shrink = std::pow(1.0 / (1.0 + step * touched.fraction(degree)), degree);
    const double plain = std::pow(1.0 - step * l2, n);
    EXPECT_NEAR(1.0 - shrink, 1.0 - plain, 1e-3 * (1.0 - plain)) << degree;
  }
}

TEST(touched_l2, a_division_never_overshoots_zero) {
  const touched_l2 touched{1e-4 * 1e6};
  for (const double step : {1e-3, 1.0, 1e6}) {
    const double factor = 1.0 / (1.0 + step * touched.fraction(1));
    EXPECT_GT(factor, 0.0);
    EXPECT_LT(factor, 1.0);
  }
}

}  // namespace
