// SPDX-License-Identifier: Apache-2.0
// A run's segment tells readers its parameters' description and order, and their state after a round.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/control/live_board.hpp>
#include <hogwild/detail/results/live_description.hpp>
#include <hogwild/detail/results/parameter_order.hpp>
#include <hogwild/error.hpp>

using namespace hogwild;
using testing::ElementsAre;

namespace {

const std::vector<parameter_group> described{{.name = "factors", .rows = 3, .width = 2},
                                             {.name = "net", .offset = 6, .rows = 2, .hot_first = false},
                                             {.name = "items", .offset = 8, .rows = 3, .first_column = 1}};

TEST(parameter_order, moves_the_rows_of_columns_within_their_group_alone) {
  const std::vector<std::uint32_t> original{5, 9, 2};
  const parameter_order order(described, original);
  EXPECT_THAT(order.columns(), ElementsAre(2, 5, 9));
  // Rows for a column that the data do not have stay behind the others.
  EXPECT_THAT(order.of(std::vector<float>{50, 51, 90, 91, 20, 21, 1, 2, 9, 2, 7}),
              ElementsAre(20, 21, 50, 51, 90, 91, 1, 2, 2, 9, 7));
}

TEST(live_description, is_read_as_it_was_written_or_refused) {
  const live_description written{.model = "mine",
                                 .whole = true,
                                 .numbers = {{"delta", 0.5}, {"width", 3.0}},
                                 .labels = label_map(label_kind::classes, {1.0, 4.0, 9.0}),
                                 .groups = live_description::groups_from(described),
                                 .original = {5, 9, 2}};
  const std::vector<std::byte> bytes = written.encode();
  const live_description read = live_description::decode(bytes, "it");
  EXPECT_EQ(read.model, "mine");
  EXPECT_TRUE(read.whole);
  EXPECT_EQ(read.numbers, written.numbers);
  EXPECT_EQ(read.labels, written.labels);
  EXPECT_EQ(read.original, written.original);
  const std::vector<parameter_group> groups = read.parameter_groups();
  ASSERT_EQ(groups.size(), described.size());
  for (std::size_t i = 0; i < groups.size(); ++i) {
    EXPECT_EQ(groups[i].name, described[i].name);
    EXPECT_EQ(groups[i].offset, described[i].offset);
    EXPECT_EQ(groups[i].rows, described[i].rows);
    EXPECT_EQ(groups[i].width, described[i].width);
    EXPECT_EQ(groups[i].hot_first, described[i].hot_first);
    EXPECT_EQ(groups[i].first_column, described[i].first_column);
  }
  for (std::size_t cut = 0; cut < bytes.size(); ++cut)
    EXPECT_THROW(live_description::decode(std::span(bytes).first(cut), "it"), input_error) << cut;
}

TEST(live_board, tells_a_scale_that_shrinks_by_the_rows_since) {
  const live_board::round r{.counted = 100, .scale = 0.5, .log_shrink = std::log(0.9)};
  EXPECT_DOUBLE_EQ(r.scale_at(100), 0.5);
  EXPECT_NEAR(r.scale_at(102), 0.5 * 0.81, 1e-15);
  EXPECT_DOUBLE_EQ(r.scale_at(90), 0.5) << "a slot of a worker that died was given to another one";
}

TEST(live_board, is_not_read_while_it_is_written) {
  live_board board{};
  board.write({.epoch = 3, .number = 7, .rows = 20, .counted = 9, .scale = 0.25, .log_shrink = -1.0});
  live_board::round r;
  ASSERT_TRUE(board.read(r));
  EXPECT_EQ(r.epoch, 3u);
  EXPECT_EQ(r.number, 7u);
  EXPECT_EQ(r.rows, 20u);
  EXPECT_EQ(r.counted, 9u);
  EXPECT_EQ(r.scale, 0.25);
  EXPECT_EQ(r.log_shrink, -1.0);
  ++board.turn;
  EXPECT_FALSE(board.read(r));
}

}  // namespace
