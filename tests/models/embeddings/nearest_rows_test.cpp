// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/embeddings/nearest_rows.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace {

using namespace hogwild;

std::vector<float> some_rows(std::size_t count, std::size_t width) {
  std::mt19937_64 random(5);
  std::normal_distribution<float> normal;
  std::vector<float> rows(count * width);
  for (float& x : rows) x = normal(random);
  return rows;
}

double cosine(const std::vector<float>& rows, std::size_t width, std::size_t a, std::size_t b) {
  double ab = 0.0, aa = 0.0, bb = 0.0;
  for (std::size_t k = 0; k < width; ++k) {
    const auto x = static_cast<double>(rows[a * width + k]), y = static_cast<double>(rows[b * width + k]);
    ab += x * y, aa += x * x, bb += y * y;
  }
  return ab / std::sqrt(aa * bb);
}

TEST(nearest_rows, are_those_of_the_largest_cosine_but_the_row_itself) {
  // More rows than are scored, and asked about, at a time; widths with and without padding.
  for (const std::size_t width : {std::size_t{1}, std::size_t{5}, std::size_t{16}, std::size_t{35}}) {
    constexpr std::size_t count = 2500, top = 7;
    const std::vector<float> rows = some_rows(count, width);
    std::vector<std::uint32_t> asked;
    for (std::uint32_t row = 0; row < count; row += 31) asked.push_back(row);
    const auto found = nearest_rows(rows, width).of(asked, top);
    ASSERT_EQ(found.size(), asked.size());
    for (std::size_t k = 0; k < asked.size(); ++k) {
      std::vector<double> others;
      for (std::size_t r = 0; r < count; ++r)
        if (r != asked[k]) others.push_back(cosine(rows, width, asked[k], r));
      std::ranges::sort(others, std::ranges::greater());
      ASSERT_EQ(found[k].size(), top);
      for (std::size_t j = 0; j < top; ++j) {
        EXPECT_NE(found[k][j].target, asked[k]);
        EXPECT_NEAR(static_cast<double>(found[k][j].score), cosine(rows, width, asked[k], found[k][j].target), 1e-5);
        EXPECT_NEAR(static_cast<double>(found[k][j].score), others[j], 1e-5);
      }
    }
  }
}

TEST(nearest_rows, of_equal_ones_are_in_order_and_zeros_are_near_to_nothing) {
  const std::vector<float> rows{1, 0, 2, 0, 0, 0, -1, 0, 3, 0};
  const std::vector<std::uint32_t> asked{0, 2};
  const auto found = nearest_rows(rows, 2).of(asked, 100);
  ASSERT_EQ(found[0].size(), 4u) << "there are no more";
  const std::vector<std::uint32_t> order{1, 4, 2, 3};
  for (std::size_t j = 0; j < order.size(); ++j) EXPECT_EQ(found[0][j].target, order[j]);
  for (const scored_target& near : found[1]) EXPECT_EQ(near.score, 0.0f);
  EXPECT_TRUE(nearest_rows(rows, 2).of(asked, 0)[0].empty());
  EXPECT_TRUE(nearest_rows(rows, 2).of({}, 3).empty());
}

}  // namespace
