// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/collectives/rank_sum.hpp>

#include <cstddef>
#include <span>
#include <vector>

#include <gtest/gtest.h>

using namespace hogwild::detail;

namespace {

TEST(part_of, covers_every_element_once_in_parts_of_nearly_one_length) {
  for (const std::size_t n : {0u, 1u, 31u, 32u, 33u, 1000u, 100'000u}) {
    for (const std::size_t size : {1u, 2u, 3u, 7u, 64u}) {
      std::size_t at = 0;
      for (std::size_t rank = 0; rank < size; ++rank) {
        const index_range part = part_of(n, rank, size);
        EXPECT_EQ(part.begin, at);
        EXPECT_LE(part.size(), n / size + 64);
        EXPECT_TRUE(part.begin % 32 == 0 || part.size() == 0);
        at = part.end;
      }
      EXPECT_EQ(at, n);
    }
  }
}

TEST(sum_in_order, adds_in_the_order_of_the_sources) {
  const std::vector<float> a(3, 1e8f), b(3, -1e8f), c(3, 1.0f);
  std::vector<float> sum(3);
  float* const target = sum.data();
  sum_in_order<float>(std::vector<const float*>{a.data(), b.data(), c.data()}, std::span(&target, 1), {0, 3});
  EXPECT_EQ(sum, std::vector<float>(3, 1.0f));
  sum_in_order<float>(std::vector<const float*>{a.data(), c.data(), b.data()}, std::span(&target, 1), {0, 3});
  EXPECT_EQ(sum, std::vector<float>(3, 0.0f));  // 1e8 + 1 is 1e8 in single precision
}

TEST(sum_in_order, writes_its_range_of_all_targets_even_where_they_are_sources) {
  constexpr std::size_t n = 3000;
  std::vector<double> a(n), b(n), c(n);
  for (std::size_t i = 0; i < n; ++i) {
    a[i] = static_cast<double>(i);
    b[i] = 2.0;
    c[i] = -1.0;
  }
  const std::vector<double> before = a;
  sum_in_order<double>(std::vector<const double*>{a.data(), b.data()},
                       std::vector<double*>{a.data(), b.data(), c.data()}, {100, 2900});
  for (std::size_t i = 0; i < n; ++i) {
    const bool inside = i >= 100 && i < 2900;
    EXPECT_EQ(a[i], inside ? before[i] + 2.0 : before[i]);
    EXPECT_EQ(b[i], inside ? before[i] + 2.0 : 2.0);
    EXPECT_EQ(c[i], inside ? before[i] + 2.0 : -1.0);
  }
}

}  // namespace
