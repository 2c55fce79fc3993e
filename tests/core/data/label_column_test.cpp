// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/data/label_column.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace hogwild {
namespace {

using ::testing::ElementsAre;

TEST(label_column, shows_numbers_as_they_are) {
  const std::vector<double> labels{1.5, -2.0, 1.5};
  const label_column column = labels;
  EXPECT_THAT(column, ElementsAre(1.5, -2.0, 1.5));
  EXPECT_THAT(column.subspan(1, 2), ElementsAre(-2.0, 1.5));
  EXPECT_FALSE(column.coded());
  EXPECT_TRUE(column.codes().empty() && column.table().empty());
  EXPECT_THAT(column.numbers(), ElementsAre(1.5, -2.0, 1.5));
}

TEST(label_column, looks_codes_up_in_its_table) {
  const std::array<std::uint8_t, 4> codes{1, 0, 2, 1};
  const std::vector<double> table{-1.0, 0.25, 9.0};
  const label_column column(codes, table);
  EXPECT_THAT(column, ElementsAre(0.25, -1.0, 9.0, 0.25));
  EXPECT_TRUE(column.coded());
  EXPECT_TRUE(column.numbers().empty());
  const label_column part = column.subspan(1, 3).subspan(1, 2);
  EXPECT_THAT(part, ElementsAre(9.0, 0.25));
  EXPECT_THAT(part.codes(), ElementsAre(2, 1));
  EXPECT_EQ(part.table().size(), 3u);
}

TEST(label_column, of_nothing_is_empty) {
  EXPECT_TRUE(label_column().empty());
  EXPECT_TRUE(label_column().begin() == label_column().end());
}

}  // namespace
}  // namespace hogwild
