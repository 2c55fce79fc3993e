// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/collectives/agreement.hpp>

#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stop_token>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/collectives/thread.hpp>
#include <hogwild/detail/members/ranks_at_work.hpp>
#include <hogwild/error.hpp>

#include "support/ranks.hpp"
#include "support/refusal.hpp"
#include "support/timed_out_member.hpp"

using namespace hogwild;
using ::testing::Each;
using testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

TEST(agreement, of_one_is_with_itself) {
  const agreement alone(nullptr);
  EXPECT_TRUE(alone.alone());
  EXPECT_EQ(alone.sum(3.0), 3.0);
  EXPECT_TRUE(alone.any(true));
  EXPECT_FALSE(alone.any(false));
  EXPECT_THAT(alone.all_of({3, 1, 3}), ElementsAre(1, 3));
  alone.require_equal({}, "nothing");
}

TEST(agreement, is_the_same_on_all_ranks) {
  test::as_sound_ranks(3, [](const test::rank_place& place) {
    const agreement ranks(&place.ranks);
    const auto rank = static_cast<double>(place.rank);
    EXPECT_FALSE(ranks.alone());
    EXPECT_EQ(ranks.sum(rank), 3.0);
    EXPECT_TRUE(ranks.any(place.rank == 2));
    EXPECT_FALSE(ranks.any(false));
    std::array<double, 2> x{rank, 7.0 + rank};
    ranks.take_first(x);
    EXPECT_THAT(x, ElementsAre(0.0, 7.0));
    // As many values as the rank's number; other ranks have some of them, too.
    std::vector<double> mine(place.rank, 5.0);
    if (place.rank == 2) mine[1] = -1.0;
    EXPECT_THAT(ranks.all_of(mine), ElementsAre(-1.0, 5.0));
    EXPECT_THAT(ranks.all_of({}), ElementsAre());
    x[0] = rank;
    ranks.take(x, 2);
    EXPECT_EQ(x[0], 2.0);
    EXPECT_THAT(ranks.gathered({rank, -rank}), ElementsAre(0.0, 0.0, 1.0, -1.0, 2.0, -2.0));
    std::vector<float> w(2, static_cast<float>(1 + place.rank));
    const std::vector<float> all = ranks.gathered_by_first(w);
    EXPECT_EQ(all, place.rank == 0 ? (std::vector<float>{1, 1, 2, 2, 3, 3}) : std::vector<float>());
    ranks.take_first(w);
    EXPECT_THAT(w, ElementsAre(1.0f, 1.0f));
  });
}

TEST(agreement, says_whose_bytes_differ) {
  std::vector<std::string> said(3);
  test::as_sound_ranks(3, [&](const test::rank_place& place) {
    const agreement ranks(&place.ranks);
    std::vector<double> x(100, 1.0);
    ranks.require_equal(std::as_bytes(std::span(x)), "numbers");
    if (place.rank == 1) x[99] = 2.0;
    said[place.rank] =
        test::refusal_of<worker_error>([&] { ranks.require_equal(std::as_bytes(std::span(x)), "numbers"); });
  });
  for (const std::string& s : said) EXPECT_EQ(s, "ranks 0 and 1 do not have the same numbers");
}

TEST(agreement, keeps_what_others_still_read_when_a_call_throws) {
  std::vector<std::span<const double>> offered;
  test::timed_out_member first(offered);
  constexpr std::size_t longest = (std::size_t{33} << 20) / sizeof(double);
  {
    std::vector<double> numbers(longest, 3.0);
    EXPECT_THROW(agreement(&first).take_first(numbers), worker_error);
  }
  EXPECT_THROW(agreement(&first).gathered(std::vector<double>(longest, 3.0)), worker_error);
  ASSERT_EQ(offered.size(), 2u);
  for (const std::span<const double> numbers : offered) {
    ASSERT_TRUE(test::is_mapped(numbers));
    EXPECT_EQ(numbers[longest / 2], 3.0);
  }
}

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
  EXPECT_THAT(test::refusal_of<worker_error>([&] { all.together([&] { wait_for_stop(all.stop()); }); }),
              HasSubstr("rank 1 of 2 has left"));
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
