// SPDX-License-Identifier: Apache-2.0
#include "statistics.hpp"

#include <gtest/gtest.h>

namespace hogwild::bench {
namespace {

TEST(statistics, median_of_odd_and_even_numbers_of_values) {
  EXPECT_EQ(median({3.0, 1.0, 2.0}), 2.0);
  EXPECT_EQ(median({4.0, 1.0, 3.0, 2.0}), 2.5);
  EXPECT_EQ(median({7.0}), 7.0);
  EXPECT_EQ(median({}), 0.0);
}

TEST(statistics, quantiles_lie_between_their_neighbours) {
  const std::vector<double> values{40.0, 10.0, 20.0, 30.0};
  EXPECT_EQ(quantile(values, 0.0), 10.0);
  EXPECT_EQ(quantile(values, 1.0), 40.0);
  EXPECT_DOUBLE_EQ(quantile(values, 0.25), 17.5);
}

}  // namespace
}  // namespace hogwild::bench
