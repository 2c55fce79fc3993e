// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/control/turn_board.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "support/eventually.hpp"

using namespace hogwild;

namespace {

struct turn_board_of_workers : testing::Test {
  std::unique_ptr<turn_board> board = std::make_unique<turn_board>();
};

TEST_F(turn_board_of_workers, deals_each_item_once_the_preferred_one_where_it_is_free) {
  const std::uint32_t phase = board->open(1);
  EXPECT_EQ(board->claim(phase, 4, 2), 2u);
  EXPECT_EQ(board->claim(phase, 4, 2), 3u);
  EXPECT_EQ(board->claim(phase, 4, 2), 0u);
  EXPECT_EQ(board->claim(phase, 4, 0), 1u);
  EXPECT_FALSE(board->claim(phase, 4, 0));
}

TEST_F(turn_board_of_workers, deals_as_many_items_as_a_phase_can_have) {
  const std::uint32_t phase = board->open(1);
  for (std::size_t i = 0; i < turn_board::most_items; ++i) EXPECT_EQ(board->claim(phase, turn_board::most_items, 0), i);
  EXPECT_FALSE(board->claim(phase, turn_board::most_items, 31));
}

TEST_F(turn_board_of_workers, deals_nothing_of_another_phase) {
  const std::uint32_t phase = board->open(2);
  EXPECT_FALSE(board->claim(phase + 1, 4, 0));
  board->advance(phase, phase + 1);
  EXPECT_FALSE(board->claim(phase, 4, 0));
  EXPECT_EQ(board->claim(phase + 1, 4, 0), 0u);
}

TEST_F(turn_board_of_workers, tells_the_last_one_that_finishes) {
  board->open(1);
  EXPECT_FALSE(board->finish(3));
  EXPECT_FALSE(board->finish(3));
  EXPECT_TRUE(board->finish(3));
}

TEST_F(turn_board_of_workers, a_round_is_complete_after_its_turns_and_not_where_it_was_broken_off_before) {
  const std::uint32_t first = board->open(2);
  board->advance(first, first + 2);
  EXPECT_FALSE(board->is_complete(first));
  board->break_off();
  board->advance(first + 2, first + 4);  // by a worker that has not noticed yet
  EXPECT_FALSE(board->is_complete(first));

  const std::uint32_t again = board->open(1);
  EXPECT_FALSE(board->is_complete(again));
  board->advance(again, again + 2);
  board->break_off();  // too late
  EXPECT_TRUE(board->is_complete(again));
}

TEST_F(turn_board_of_workers, phases_go_on_beyond_the_largest_number) {
  board->phase = turn_board::phases - 1;
  const std::uint32_t first = board->open(2);
  EXPECT_EQ(first, turn_board::phases);
  board->advance(first, first + 2);
  EXPECT_EQ(board->phase.load(), 1u);
  EXPECT_FALSE(board->is_complete(first));
  EXPECT_EQ(board->claim(1, 1, 0), 0u);
  board->advance(1, 3);
  EXPECT_TRUE(board->is_complete(first));
}

TEST_F(turn_board_of_workers, an_item_that_is_abandoned_breaks_its_own_phase_only) {
  const std::uint32_t first = board->open(2);
  board->advance(first, first + 1);
  board->abandon(first);
  EXPECT_EQ(board->current(), first + 1);
  board->abandon(first + 1);
  EXPECT_NE(board->current() & turn_board::broken, 0u);
}

TEST_F(turn_board_of_workers, breaking_off_wakes_who_sleeps) {
  const std::uint32_t phase = board->open(1);
  std::thread sleeper([&] {
    published<std::uint64_t> waits{};
    while (board->phase.load() == phase) board->wait(phase, waits);
  });
  EXPECT_TRUE(test::eventually(std::chrono::seconds(60), [&] { return board->sleepers.load() != 0; }));
  board->break_off();
  sleeper.join();
}

TEST_F(turn_board_of_workers, a_sleeper_of_the_round_before_is_counted_until_it_leaves) {
  const std::uint32_t before = board->open(1);
  std::atomic<bool> go_on{true};
  std::thread sleeper([&] {
    published<std::uint64_t> waits{};
    while (go_on.load()) board->wait(before, waits);
  });
  EXPECT_TRUE(test::eventually(std::chrono::seconds(60), [&] { return board->sleepers.load() != 0; }));
  ++board->sleepers;  // a second one, which gets no CPU before the next round is open
  go_on = false;
  board->open(1);
  sleeper.join();
  EXPECT_EQ(board->sleepers.load(), 1u);
  --board->sleepers;
}

/// Workers come and go as they like; only the board hands plain memory from one to the next.
TEST_F(turn_board_of_workers, hands_plain_memory_from_phase_to_phase_whatever_the_number_of_workers) {
  constexpr std::uint32_t turns = 300;
  for (const std::size_t workers : {1u, 2u, 3u, 8u}) {
    board = std::make_unique<turn_board>();
    for (int round = 0; round < 3; ++round) {
      const std::uint32_t first = board->open(turns);
      std::array<std::uint64_t, 5> part{};
      std::uint64_t sum = 0;
      const auto work = [&](std::size_t worker) {
        published<std::uint64_t> waits{};
        for (;;) {
          const std::uint32_t phase = board->phase.load(std::memory_order_acquire);
          const std::uint32_t done = (phase - first) & turn_board::phases;
          if (done >= 2 * turns) return;
          const std::size_t items = done % 2 == 0 ? part.size() : 1;
          const auto i = board->claim(phase, items, worker % items);
          if (!i) {
            board->wait(phase, waits);
            continue;
          }
          if (done % 2 == 0)
            part[*i] = sum + *i;
          else
            for (const std::uint64_t x : part) sum += x % 1000;
          if (board->finish(items)) board->advance(phase, phase + 1);
        }
      };
      std::vector<std::thread> threads;
      for (std::size_t i = 1; i < workers; ++i) threads.emplace_back(work, i);
      work(0);
      for (std::thread& t : threads) t.join();
      std::uint64_t expected = 0;
      for (std::uint32_t turn = 0; turn < turns; ++turn) {
        const std::uint64_t before = expected;
        for (std::uint64_t i = 0; i < part.size(); ++i) expected += (before + i) % 1000;
      }
      EXPECT_EQ(sum, expected);
      EXPECT_TRUE(board->is_complete(first));
    }
  }
}

}  // namespace
