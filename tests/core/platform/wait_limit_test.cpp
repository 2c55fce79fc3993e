// SPDX-License-Identifier: Apache-2.0
#include <chrono>

#include <gtest/gtest.h>

#include <hogwild/detail/platform/wait_limit.hpp>

namespace hogwild::detail {
namespace {

using namespace std::chrono_literals;

TEST(wait_limit, passes_after_its_time_where_looks_are_frequent) {
  const auto begin = wait_limit::clock::now();
  wait_limit limit(1s, begin);
  int looks = 0;
  while (!limit.passed(begin + ++looks * 100ms)) EXPECT_EQ(limit.left(), 1s - looks * 100ms);
  EXPECT_EQ(looks, 10);
  EXPECT_EQ(limit.left(), 0s);
  EXPECT_TRUE(limit.passed(begin + 2s));
}

TEST(wait_limit, counts_a_standstill_as_one_look) {
  const auto begin = wait_limit::clock::now();
  wait_limit limit(30s, begin);
  EXPECT_FALSE(limit.passed(begin + 1h));
  EXPECT_EQ(limit.left(), 29s);
  wait_limit brief(80ms, begin);
  EXPECT_FALSE(brief.passed(begin + 1h));
  EXPECT_EQ(brief.left(), 70ms);
}

TEST(wait_limit, of_next_to_nothing_passes_too) {
  EXPECT_TRUE(wait_limit(0s).passed());
  wait_limit brief(1ns), negative(-1s);
  EXPECT_TRUE(brief.passed(wait_limit::clock::now() + 1s));
  for (int look = 0; look < 12; ++look) EXPECT_TRUE(negative.passed());
}

}  // namespace
}  // namespace hogwild::detail
