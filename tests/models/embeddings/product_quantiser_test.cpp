// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/embeddings/product_quantiser.hpp>

#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "support/toy_data.hpp"

namespace {

using namespace hogwild;
using hogwild::test::noise_vector;

double squared_error(const std::vector<float>& rows, const quantised_rows& by) {
  const std::vector<float> decoded = by.decoded();
  EXPECT_EQ(decoded.size(), rows.size());
  double sum = 0.0;
  for (std::size_t k = 0; k < rows.size(); ++k)
    sum += std::pow(static_cast<double>(rows[k]) - static_cast<double>(decoded[k]), 2.0);
  return sum;
}

// Of two centroids that are less than 1e-3 apart the other one may be taken: the square of that gap is lost beside the
// squares of numbers near 1 in single precision.
TEST(product_quantiser, rows_of_no_more_parts_than_centroids_are_exact) {
  for (const std::size_t width : {std::size_t{1}, std::size_t{4}, std::size_t{7}}) {
    const std::vector<float> rows = noise_vector(100 * width, 1);
    for (const std::size_t part : {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{16}}) {
      const quantised_rows made = quantised(rows, width, {.part = part});
      EXPECT_EQ(made.fault(100), "");
      EXPECT_EQ(made.parts(), (width + part - 1) / part);
      const std::vector<float> decoded = made.decoded();
      ASSERT_EQ(decoded.size(), rows.size());
      for (std::size_t k = 0; k < rows.size(); ++k) EXPECT_NEAR(decoded[k], rows[k], 1e-3) << width << " " << part;
    }
  }
}

TEST(product_quantiser, each_part_has_the_nearest_centroid) {
  constexpr std::size_t width = 5, count = 700;
  const std::vector<float> rows = noise_vector(count * width, 2);
  const quantised_rows made = quantised(rows, width, {.part = 2, .centroids = 37});
  ASSERT_EQ(made.choices(), 37u);
  for (std::size_t r = 0; r < count; ++r)
    for (std::size_t p = 0; p < made.parts(); ++p) {
      const auto distance = [&](std::size_t c) {
        double sum = 0.0;
        for (std::size_t k = 0; k < made.size_of(p); ++k)
          sum += std::pow(static_cast<double>(rows[r * width + p * made.part + k]) -
                              static_cast<double>(made.centroids[made.begin_of(p) + c * made.size_of(p) + k]),
                          2.0);
        return sum;
      };
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t c = 0; c < made.choices(); ++c) least = std::min(least, distance(c));
      EXPECT_NEAR(distance(made.codes[r * made.parts() + p]), least, 1e-6);
    }
}

// Points in two heaps: of all 2^10 ways to part them, the means of the best one.
TEST(product_quantiser, two_centroids_are_the_best_that_there_are) {
  std::vector<float> points = noise_vector(10, 3);
  for (std::size_t k = 0; k < points.size(); ++k) points[k] += k % 3 == 0 ? 5.0f : -5.0f;
  double best = std::numeric_limits<double>::infinity();
  for (unsigned parting = 1; parting + 1 < 1u << points.size(); ++parting) {
    double sums[2] = {}, squares = 0.0;
    std::size_t members[2] = {};
    for (std::size_t k = 0; k < points.size(); ++k) {
      const double x = static_cast<double>(points[k]);
      sums[parting >> k & 1u] += x, squares += x * x, ++members[parting >> k & 1u];
    }
    for (int side = 0; side < 2; ++side) squares -= sums[side] * sums[side] / static_cast<double>(members[side]);
    best = std::min(best, squares);
  }
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    EXPECT_NEAR(squared_error(points, quantised(points, 1, {.part = 1, .centroids = 2, .seed = seed})), best, 1e-5);
}

// Most centroids begin at the row that is there 590 times, and all but one of these have no part then.
TEST(product_quantiser, centroids_without_a_part_go_where_the_error_is_largest) {
  std::vector<float> rows(2 * 590, 1.0f);
  for (const float x : noise_vector(200, 7, -9.0, 9.0)) rows.push_back(x);
  const quantised_rows made = quantised(rows, 2, {.part = 2, .centroids = 128});
  EXPECT_LT(squared_error(rows, made), 1e-5);
}

TEST(product_quantiser, of_equal_centroids_the_first_is_taken) {
  const quantised_rows made = quantised(std::vector<float>(80, 0.5f), 2, {.part = 2});
  EXPECT_EQ(made.codes, std::vector<std::uint8_t>(40, 0));
}

TEST(product_quantiser, more_centroids_make_the_error_smaller) {
  constexpr std::size_t width = 8;
  const std::vector<float> rows = noise_vector(3'000 * width, 4);
  double before = std::numeric_limits<double>::infinity();
  for (const std::size_t centroids : {1u, 4u, 16u, 64u, 256u}) {
    const double error = squared_error(rows, quantised(rows, width, {.part = 2, .centroids = centroids}));
    EXPECT_LT(error, 0.5 * before) << centroids;
    before = error;
  }
  EXPECT_LT(squared_error(rows, quantised(rows, width, {.part = 1})), before);
}

// Rows of few directions and many lengths, some of them 0.
TEST(product_quantiser, lengths_are_apart_from_directions) {
  const std::vector<float> factors = noise_vector(2'000, 5, 0.0, 100.0);
  std::vector<float> rows;
  for (std::size_t r = 0; r < factors.size(); ++r)
    for (const float x : {0.6f, r % 2 == 0 ? 0.8f : -0.8f}) rows.push_back(r % 10 == 0 ? 0.0f : factors[r] * x);
  const quantised_rows made = quantised(rows, 2, {.part = 2, .lengths = true});
  EXPECT_EQ(made.fault(factors.size()), "");
  const double mean = squared_error(rows, made) / static_cast<double>(factors.size());
  EXPECT_LT(mean, 0.5) << "256 lengths from 0 to 100 are less than 1 apart, and so the error is below its half";
  const std::vector<float> decoded = made.decoded();
  for (std::size_t r = 0; r < factors.size(); r += 10) EXPECT_EQ(decoded[2 * r], 0.0f);
}

TEST(product_quantiser, a_seed_makes_the_same_bytes_for_any_number_of_threads) {
  const std::vector<float> rows = noise_vector(20'000, 6);
  const quantised_rows made = quantised(rows, 10, {});
  {
    const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
    EXPECT_EQ(quantised(rows, 10, {}), made);
  }
  EXPECT_NE(quantised(rows, 10, {.seed = 2}), made);
}

}  // namespace
