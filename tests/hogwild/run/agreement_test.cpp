// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/agreement.hpp>

#include <array>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/error.hpp>

#include "support/ranks.hpp"
#include "support/timed_out_member.hpp"

using namespace hogwild;
using testing::ElementsAre;

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
    try {
      ranks.require_equal(std::as_bytes(std::span(x)), "numbers");
    } catch (const worker_error& e) {
      said[place.rank] = e.what();
    }
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

}  // namespace
