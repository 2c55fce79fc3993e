// SPDX-License-Identifier: Apache-2.0
#include "provisional_ranks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <set>
#include <thread>
#include <vector>

#include <hogwild/core/random.hpp>

#include "exchange_ruler.hpp"

namespace hogwild::detail {
namespace {

using ::testing::ElementsAre;

std::vector<std::uint32_t> ranks_of(provisional_ranks& table, const std::vector<std::uint32_t>& columns,
                                    provisional_ranks::reserve& mine) {
  std::vector<std::uint32_t> ranks(columns.size());
  table.rank(columns, ranks.data(), mine);
  return ranks;
}

TEST(provisional_ranks, begin_with_the_hottest_columns) {
  provisional_ranks table(1000);
  table.rank_by_frequency(std::vector<std::uint32_t>{7, 999, 3, 7, 5, 3, 7, 1000, 2000000000});
  EXPECT_EQ(table.size(), 4u);
  provisional_ranks::reserve mine;
  EXPECT_THAT(ranks_of(table, {3, 5, 7, 999}, mine), ElementsAre(1, 3, 0, 2));
  EXPECT_EQ(table.size(), 4u);
}

TEST(provisional_ranks, of_new_columns_follow_as_they_appear) {
  provisional_ranks table(1000);
  table.rank_by_frequency(std::vector<std::uint32_t>{40, 41, 41});
  provisional_ranks::reserve mine, other;
  EXPECT_EQ(table.find(2), provisional_ranks::none);
  EXPECT_THAT(ranks_of(table, {2, 41, 900}, mine), ElementsAre(2, 0, 3));
  EXPECT_THAT(ranks_of(table, {0, 2, 900}, other), ElementsAre(2 + provisional_ranks::reserve::most, 2, 3));
  EXPECT_THAT(ranks_of(table, {0, 1}, mine), ElementsAre(2 + provisional_ranks::reserve::most, 4));
  EXPECT_EQ(table.find(900), 3u);
  EXPECT_EQ(table.find(1000), provisional_ranks::none);
  EXPECT_EQ(table.find(0xffffffffu), provisional_ranks::none);
}

TEST(provisional_ranks, may_be_given_without_a_beginning) {
  provisional_ranks table(10);
  table.rank_by_frequency({});
  provisional_ranks::reserve mine;
  EXPECT_THAT(ranks_of(table, {9, 0}, mine), ElementsAre(0, 1));
}

// Threads of the standard library: ThreadSanitizer knows them.
TEST(provisional_ranks, differ_though_threads_give_them_at_once) {
  constexpr std::size_t threads = 4, columns = 20000, row = 40;
  provisional_ranks table(columns);
  table.rank_by_frequency(std::vector<std::uint32_t>{5, 6, 7});
  std::barrier together(threads);
  std::vector<std::vector<std::uint32_t>> told(threads, std::vector<std::uint32_t>(columns));
  {
    std::vector<std::jthread> crew;
    for (std::size_t t = 0; t < threads; ++t)
      crew.emplace_back([&, t] {
        provisional_ranks::reserve mine;
        const counter_random random(1, t);
        std::vector<std::uint32_t> some(row), ranks(row);
        together.arrive_and_wait();
        // All in step, each with a few of its own: they meet at most of the columns.
        for (std::size_t first = 0; first < columns; first += row) {
          for (std::size_t k = 0; k < row; ++k) some[k] = static_cast<std::uint32_t>(first + k);
          some[random.below(first, row)] = static_cast<std::uint32_t>(random.below(first + 1, columns));
          table.rank(some, ranks.data(), mine);
          for (std::size_t k = 0; k < row; ++k) told[t][some[k]] = ranks[k] + 1;
        }
        for (std::uint32_t c = 0; c < columns; ++c) table.rank({&c, 1}, ranks.data(), mine);
      });
  }
  std::set<std::uint32_t> ranks;
  for (std::uint32_t c = 0; c < columns; ++c) {
    const std::uint32_t rank = table.find(c);
    ASSERT_LT(rank, table.size());
    ranks.insert(rank);
    for (const auto& heard : told) ASSERT_TRUE(heard[c] == 0 || heard[c] == rank + 1) << c;
  }
  EXPECT_EQ(ranks.size(), columns);
  EXPECT_LE(table.size(), columns + threads * provisional_ranks::reserve::most);
}

TEST(exchange_ruler, has_longer_marks_more_rarely_until_all_is_covered) {
  exchange_ruler ruler;
  std::vector<std::size_t> prefixes;
  for (int k = 0; k < 9; ++k) prefixes.push_back(ruler.next(3000));
  EXPECT_THAT(prefixes, ElementsAre(512, 1024, 512, 2048, 512, 1024, 512, 3000, 512));
  EXPECT_EQ(exchange_ruler().next(100), 100u);
  EXPECT_EQ(exchange_ruler().next(0), 0u);
}

TEST(exchange_ruler, spends_an_eighth_of_the_work_whatever_the_number_of_ranks) {
  for (const std::size_t ranks : {1u, 512u, 513u, 1024u, 1025u, 4096u, 47236u, 1u << 20}) {
    std::size_t turns = 1;
    while (shortest_prefix * turns < ranks) turns *= 2;
    exchange_ruler ruler;
    std::size_t sum = 0, most = 0;
    for (std::size_t k = 0; k < turns; ++k) {
      const std::size_t prefix = ruler.next(ranks);
      sum += prefix;
      most = std::max(most, prefix);
    }
    EXPECT_EQ(most, ranks);  // all of them, once in these turns
    const std::size_t paid = turns * exchange_ruler::period(ranks);
    EXPECT_LE(exchange_ruler::entries_per_parameter * sum, paid) << ranks;
    // Of the longest mark up to a half is cut off: at most a third of the sum, where there are two marks.
    EXPECT_GE(3 * exchange_ruler::entries_per_parameter * sum, ranks < 512 ? 0 : 2 * paid) << ranks;
  }
}

}  // namespace
}  // namespace hogwild::detail
