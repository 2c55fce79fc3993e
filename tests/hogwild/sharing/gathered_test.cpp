// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/sharing/gathered.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace hogwild;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

std::vector<std::uint32_t> notes_of(const touched_list& list) {
  return {list.notes().begin(), list.notes().end()};
}

struct witness final : exchange_hook {
  void exchanged(std::size_t) override {}
  void ended() override {}
  touched_list* touched() override { return asks ? &list : nullptr; }
  touched_list list{8};
  bool asks = false;
};

struct gathered : testing::Test {
  const param_store store = param_store::in_memory({.parameters = 40, .state_arrays = 1, .workers = 2, .ring = 2});
  const param_store mine = store.replica_view(1);
  witness others;
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
  EXPECT_THAT(notes_of(others.list), ElementsAre(3, 4, 39));
}

TEST(touched_list, keeps_what_it_has_room_for_and_says_when_it_had_none) {
  touched_list list(2);
  EXPECT_TRUE(list.is_complete());
  list.note(7);
  list.note(4'000'000'000);
  EXPECT_TRUE(list.is_complete());
  EXPECT_THAT(notes_of(list), ElementsAre(7, 4'000'000'000));
  list.note(1);
  EXPECT_FALSE(list.is_complete());
  list.clear();
  EXPECT_TRUE(list.is_complete());
  EXPECT_THAT(notes_of(list), IsEmpty());
}

TEST(touched_list, takes_of_a_row_what_has_gathered_nothing) {
  touched_list list(4);
  std::vector<float> gains{0.0f, 1.0f, -0.0f, 0.5f, 0.0f};
  const std::vector<std::uint16_t> row{0, 1, 2, 3};
  list.note_new(std::span(row), gains.data());
  EXPECT_THAT(notes_of(list), ElementsAre(0, 2));
  gains[0] = gains[2] = 1.0f;
  list.note_new(std::span(row).first(2), gains.data());
  EXPECT_THAT(notes_of(list), ElementsAre(0, 2));
  EXPECT_TRUE(list.is_complete());
  list.note_new(std::span(row), gains.data());  // which might be too many
  EXPECT_FALSE(list.is_complete());
}

TEST(touched_list, without_room_is_complete_while_there_is_nothing_to_note) {
  touched_list list;
  EXPECT_TRUE(list.is_complete());
  list.note(0);
  EXPECT_FALSE(list.is_complete());
}

}  // namespace
