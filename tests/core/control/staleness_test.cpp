// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/control/staleness.hpp>

#include <array>
#include <limits>

#include <gtest/gtest.h>

using namespace hogwild;
using histogram = staleness_histogram;

namespace {

TEST(staleness_histogram, counts_small_values_exactly_and_halves_each_power_of_two) {
  for (const std::uint64_t rows : {0u, 1u, 2u, 3u, 4u, 6u, 8u, 12u, 16u, 24u}) {
    EXPECT_EQ(histogram::value(histogram::bucket(rows)), rows);
  }
  EXPECT_EQ(histogram::bucket(4), histogram::bucket(5));
  EXPECT_NE(histogram::bucket(5), histogram::bucket(6));
  EXPECT_EQ(histogram::bucket(24), histogram::bucket(31));
}

TEST(staleness_histogram, a_buckets_value_is_the_smallest_that_falls_into_it) {
  for (std::size_t i = 0; i < histogram::buckets; ++i) {
    const std::uint64_t smallest = histogram::value(i);
    EXPECT_EQ(histogram::bucket(smallest), i);
    if (i > 0) {
      EXPECT_EQ(histogram::bucket(smallest - 1), i - 1);
    }
  }
}

TEST(staleness_histogram, puts_what_is_too_large_into_the_last_bucket) {
  EXPECT_EQ(histogram::bucket(std::numeric_limits<std::uint64_t>::max()), histogram::buckets - 1);
  EXPECT_EQ(histogram::bucket(std::uint64_t{1} << 40), histogram::buckets - 1);
}

TEST(staleness_histogram, quantiles_of_known_counts) {
  std::array<std::uint64_t, histogram::buckets> counts{};
  EXPECT_EQ(histogram::quantile(counts, 0.5), 0u);  // no samples
  counts[histogram::bucket(1)] = 50;
  counts[histogram::bucket(8)] = 49;
  counts[histogram::bucket(100)] = 1;
  EXPECT_EQ(histogram::quantile(counts, 0.0), 1u);  // the smallest sample, not an empty bucket before it
  EXPECT_EQ(histogram::quantile(counts, 0.5), 1u);
  EXPECT_EQ(histogram::quantile(counts, 0.51), 8u);
  EXPECT_EQ(histogram::quantile(counts, 0.99), 8u);
  EXPECT_EQ(histogram::quantile(counts, 1.0), histogram::value(histogram::bucket(100)));
}

}  // namespace
