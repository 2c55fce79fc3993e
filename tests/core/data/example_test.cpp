// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/data/example.hpp>

#include <vector>

#include <gtest/gtest.h>

using namespace hogwild;

namespace {

TEST(sparse_row, walks_over_columns_and_values_together) {
  const std::vector<std::uint32_t> index{4, 0, 2};
  const std::vector<float> value{1.5f, -1.0f, 3.0f};
  const sparse_row<float> z{index, value, 1.0f};
  std::size_t k = 0;
  for (const auto [j, x] : z) {
    EXPECT_EQ(j, index[k]);
    EXPECT_EQ(x, value[k]);
    ++k;
  }
  EXPECT_EQ(k, z.size());
}

TEST(dot, equals_the_plain_sum_for_every_length) {
  // Small whole numbers: every order of additions gives the same sum.
  for (std::uint32_t n = 0; n < 40; ++n) {
    std::vector<double> w(80);
    std::vector<std::uint32_t> index;
    std::vector<double> value;
    double expected = 0.0;
    for (std::uint32_t k = 0; k < n; ++k) {
      index.push_back(2 * k + 1);
      value.push_back(k + 1.0);
      w[2 * k + 1] = 3.0 * k - 7.0;
      expected += w[2 * k + 1] * value.back();
    }
    EXPECT_EQ(dot(w, sparse_row<double>{index, value, 0.0}), expected) << n;
  }
}

}  // namespace
