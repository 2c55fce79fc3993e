// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include <hogwild/dataset.hpp>

namespace hogwild {
namespace {

TEST(column_numbering, finds_positions_near_and_far) {
  for (const std::vector<std::uint32_t>& original :
       {std::vector<std::uint32_t>{7, 1, 3}, std::vector<std::uint32_t>{4294967294u, 5, 100000000, 1}}) {
    const column_numbering numbering(original);
    ASSERT_EQ(numbering.size(), original.size());
    for (std::uint32_t position = 0; position < original.size(); ++position) {
      EXPECT_EQ(numbering.position(original[position]), position);
      EXPECT_EQ(numbering.original()[position], original[position]);
    }
    for (const std::uint32_t other : {0u, 2u, 99999999u, 4294967293u, 0xffffffffu})
      EXPECT_EQ(numbering.position(other), column_numbering::unknown) << other;
  }
}

TEST(column_numbering, keeps_the_numbers_it_was_made_from) {
  std::vector<std::uint32_t> original = {3, 9};
  const column_numbering numbering(original), copy = numbering;
  original = {0, 0};
  EXPECT_EQ(numbering.original()[1], 9u);
  EXPECT_EQ(copy.position(3), 0u);
}

TEST(column_numbering, digests_tell_maps_apart) {
  const std::vector<std::uint32_t> one = {1, 2, 3}, other = {1, 3, 2};
  EXPECT_EQ(column_numbering(one).digest(), column_numbering(one).digest());
  EXPECT_NE(column_numbering(one).digest(), column_numbering(other).digest());
}

TEST(column_numbering, an_empty_one_knows_nothing) {
  EXPECT_EQ(column_numbering().position(1), column_numbering::unknown);
  EXPECT_EQ(column_numbering(std::span<const std::uint32_t>()).position(0), column_numbering::unknown);
}

}  // namespace
}  // namespace hogwild
