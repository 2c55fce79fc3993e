// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/ranks_at_work.hpp>

#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/collectives/thread.hpp>

namespace hogwild {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

void wait_for_stop(const std::stop_token& stop) {
  while (!stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

/// Calls rank(at_work, r) for each of so many ranks, which are threads.
template <class Rank>
void by_ranks_at_work(std::size_t n, const Rank& rank) {
  thread_group group(n);
  std::vector<std::jthread> threads;
  for (std::size_t r = 0; r < n; ++r)
    threads.emplace_back([&, r] {
      const auto member = group.join(r);
      ranks_at_work at_work(member.get(), {});
      rank(at_work, r);
    });
}

TEST(ranks_at_work, rank_that_has_left_is_named_and_the_work_of_the_others_ends) {
  thread_group group(2);
  const auto first = group.join(0);
  group.join(1).reset();
  ranks_at_work all(first.get(), {});
  try {
    all.together([&] { wait_for_stop(all.stop()); });
    FAIL() << "nobody was missed";
  } catch (const worker_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("rank 1 of 2 has left"));
  }
}

TEST(ranks_at_work, works_of_a_rank_are_done_by_one_thread_which_is_not_the_caller_s) {
  by_ranks_at_work(2, [&](ranks_at_work& all, std::size_t) {
    std::vector<std::thread::id> by(3);
    for (std::thread::id& id : by) all.together([&] { id = std::this_thread::get_id(); });
    EXPECT_THAT(by, Each(by.front()));
    EXPECT_NE(by.front(), std::this_thread::get_id());
  });
}

TEST(ranks_at_work, rank_may_ask_all_to_stop) {
  by_ranks_at_work(3, [&](ranks_at_work& all, std::size_t r) {
    all.together([] {});
    EXPECT_FALSE(all.stop().stop_requested());
    all.together([&] { r == 1 ? all.ask_all_to_stop() : wait_for_stop(all.stop()); });
    EXPECT_TRUE(all.stop().stop_requested());
  });
}

TEST(ranks_at_work, numbers_of_each_rank_come_to_all_bit_by_bit) {
  struct pair {
    double x, y;
  };
  by_ranks_at_work(3, [&](ranks_at_work& all, std::size_t r) {
    std::vector<pair> x(5, {std::numeric_limits<double>::quiet_NaN(), static_cast<double>(r)});
    x[2].x = r == 1 ? -0.0 : 7.0;
    all.exchange(std::span(x), [](std::size_t k) { return k % 3 == 2 ? 1 : k % 3; });
    for (std::size_t k = 0; k < 5; ++k) EXPECT_EQ(x[k].y, static_cast<double>(k % 3 == 2 ? 1 : k % 3)) << k;
    EXPECT_TRUE(std::isnan(x[0].x));
    EXPECT_TRUE(std::signbit(x[2].x));
    pair one{static_cast<double>(r), -1.0 - static_cast<double>(r)};
    all.take_first(one);
    EXPECT_EQ(one.x, 0.0);
    EXPECT_EQ(one.y, -1.0);
  });
}

TEST(rank_portions, deal_all_to_the_first_ranks_before_the_last_and_as_many_to_each) {
  for (std::size_t ranks = 1; ranks < 9; ++ranks)
    for (std::size_t all = 0; all < 30; ++all) {
      const rank_portions portions{ranks, all};
      std::size_t next = 0;
      for (std::size_t r = 0; r < ranks; ++r) {
        EXPECT_EQ(portions.first_of(r), next);
        EXPECT_GE(portions.count_of(r), all / ranks);
        EXPECT_LE(portions.count_of(r), (all + ranks - 1) / ranks);
        EXPECT_LE(portions.count_of(r), portions.count_of(0));
        for (; next < portions.first_of(r) + portions.count_of(r); ++next) EXPECT_EQ(portions.rank_of(next), r) << next;
      }
      EXPECT_EQ(next, all);
    }
}

}  // namespace
}  // namespace hogwild
