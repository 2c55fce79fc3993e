// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/sharing/touched_list.hpp>

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
