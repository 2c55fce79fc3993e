// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/data/row_starts.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

namespace hogwild {
namespace {

using ::testing::ElementsAre;

TEST(row_starts, are_the_same_in_both_widths) {
  const std::vector<std::uint64_t> wide{0, 3, 3, 7};
  const std::array<std::uint32_t, 4> narrow{0, 3, 3, 7};
  for (const row_starts& starts : {row_starts(wide), row_starts(narrow)}) {
    EXPECT_THAT(starts, ElementsAre(0, 3, 3, 7));
    EXPECT_EQ(starts.front(), 0u);
    EXPECT_EQ(starts.back(), 7u);
    EXPECT_THAT(starts.subspan(1, 2), ElementsAre(3, 3));
    EXPECT_THAT(starts.subspan(2, 2).subspan(1, 1), ElementsAre(7));
    EXPECT_TRUE(std::is_sorted(starts.begin(), starts.end()));
  }
  EXPECT_EQ(row_starts(wide).wide().size(), 4u);
  EXPECT_TRUE(row_starts(wide).narrow().empty());
  EXPECT_EQ(row_starts(narrow).narrow().size(), 4u);
  EXPECT_TRUE(row_starts(narrow).wide().empty());
}

TEST(row_starts, hold_the_largest_numbers_of_their_width) {
  const std::vector<std::uint64_t> wide{std::uint64_t{1} << 40};
  const std::vector<std::uint32_t> narrow{std::numeric_limits<std::uint32_t>::max()};
  EXPECT_EQ(row_starts(wide)[0], std::uint64_t{1} << 40);
  EXPECT_EQ(row_starts(narrow)[0], 0xffffffffu);
}

TEST(row_starts, of_nothing_are_empty) {
  EXPECT_TRUE(row_starts().empty());
  EXPECT_TRUE(row_starts().begin() == row_starts().end());
}

}  // namespace
}  // namespace hogwild
