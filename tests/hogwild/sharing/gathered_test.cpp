// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/sharing/gathered.hpp>

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

using namespace hogwild;

namespace {

struct witness final : exchange_hook {
  void exchanged(std::size_t) override { ++meetings; }
  void ended() override { ++ends; }
  touched_list* touched() override { return asks ? &list : nullptr; }
  std::size_t meetings = 0, ends = 0;
  touched_list list{8};
  bool asks = false;
};

struct gathered : testing::Test {
  const param_store store = param_store::in_memory({.parameters = 40, .state_arrays = 1, .workers = 2, .ring = 2});
  const param_store mine = store.replica_view(1);
  witness others;
  race_probe probe{store.slots(), 1, false};
};

TEST_F(gathered, rows_read_the_parameters_and_add_beside_them) {
  std::ranges::fill(mine.parameters<float>(), 2.0f);
  gathered_sharing<float> sharing(mine, others);
  const auto w = sharing.parameters();
  w.add(3, 0.5f);
  w.add(3, 0.25f);
  EXPECT_EQ(w.read_add(4, 1.0f), 2.0f);
  EXPECT_EQ(w.load(3), 2.0f);
  EXPECT_EQ(sharing.reader()[3], 2.0f);
  EXPECT_EQ(sharing.reader().block(2, 3)[1], 2.0f);
  EXPECT_EQ(sharing.reader().size(), 40u);
  EXPECT_EQ(sharing.gains()[3], 0.75f);
  EXPECT_EQ(sharing.gains()[4], 1.0f);
  EXPECT_EQ(std::ranges::count(sharing.gains(), 0.0f), 38);
  EXPECT_EQ(std::ranges::count(store.replica_view(0).parameters<float>(), 0.0f), 40);
  EXPECT_EQ(std::ranges::count(store.parameters<float>(), 0.0f), 40);
}

TEST_F(gathered, who_asks_is_told_once_which_parameters_have_gains) {
  others.asks = true;
  const gathered_sharing<float> sharing(mine, others);
  const auto w = sharing.parameters();
  for (const std::size_t j : {3u, 4u, 3u, 39u}) w.add(j, 0.5f);
  w.read_add(4, 0.5f);
  const auto notes = others.list.notes();
  EXPECT_EQ(std::vector<std::uint32_t>(notes.begin(), notes.end()), (std::vector<std::uint32_t>{3, 4, 39}));
}

TEST_F(gathered, ranks_meet_after_so_many_rows_and_go_on_meeting_at_the_end) {
  gathered_sharing<float> sharing(mine, others);
  sharing.begin_round({.exchange_rows = 10});
  const auto train = [&](std::size_t rows) {
    EXPECT_LE(rows, sharing.rows_to_exchange());
    sharing.exchange(rows, probe);
  };
  train(6);
  EXPECT_EQ(sharing.rows_to_exchange(), 4u);
  EXPECT_EQ(others.meetings, 0u);
  train(4);
  EXPECT_EQ(others.meetings, 1u);
  EXPECT_EQ(sharing.rows_to_exchange(), 10u);
  train(10);
  train(3);
  EXPECT_EQ(others.meetings, 2u);
  EXPECT_EQ(others.ends, 0u);
  sharing.end_round();
  EXPECT_EQ(others.ends, 1u);
  // The rows that were left belong to the round that is over.
  sharing.begin_round({.exchange_rows = 10});
  EXPECT_EQ(sharing.rows_to_exchange(), 10u);
}

}  // namespace
