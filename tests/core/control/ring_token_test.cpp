// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/control/ring_token.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "support/threads.hpp"

using namespace hogwild;

namespace {

struct token_of_a_ring : testing::Test {
  ring_token token{};
};

TEST_F(token_of_a_ring, of_zero_names_replica_0) {
  const auto seen = token.look();
  EXPECT_EQ(token.generation(seen), 0u);
  EXPECT_TRUE(token.names(seen, 0));
  EXPECT_FALSE(token.names(seen, 1));
}

TEST_F(token_of_a_ring, goes_from_replica_to_replica) {
  token.open(2);
  const std::size_t most = ring_token::most_replicas - 1;
  for (const auto& [from, to] : {std::pair{std::size_t{2}, std::size_t{0}}, {0, most}, {most, 1}}) {
    const auto seen = token.look();
    EXPECT_TRUE(token.names(seen, from));
    const auto held = token.claim(seen);
    ASSERT_TRUE(held);
    EXPECT_TRUE(token.is_still(*held));
    EXPECT_TRUE(token.pass(*held, to));
    EXPECT_FALSE(token.is_still(*held));
    EXPECT_TRUE(token.names(token.look(), to));
    EXPECT_EQ(token.generation(token.look()), token.generation(seen) + 1);
  }
}

TEST_F(token_of_a_ring, is_claimed_by_one_worker_of_its_replica) {
  const auto seen = token.look();
  const auto held = token.claim(seen);
  ASSERT_TRUE(held);
  EXPECT_EQ(token.generation(*held), token.generation(seen));
  EXPECT_FALSE(token.claim(seen));
  EXPECT_FALSE(token.names(token.look(), 0));  // in hand: no other worker of replica 0 exchanges meanwhile
  EXPECT_EQ(token.replica(token.look()), 0u);
}

TEST_F(token_of_a_ring, of_a_holder_that_was_passed_over_is_dead) {
  const auto held = token.claim(token.look());
  ASSERT_TRUE(held);
  const auto taken = token.take_over(token.look(), 3);
  ASSERT_TRUE(taken);
  EXPECT_EQ(token.look(), *taken);
  EXPECT_EQ(token.generation(*taken), 1u);
  EXPECT_TRUE(token.in_hand(*taken));
  EXPECT_FALSE(token.is_still(*held));
  EXPECT_FALSE(token.pass(*held, 1));
  EXPECT_FALSE(token.claim(*held));
  EXPECT_EQ(token.look(), *taken);
  EXPECT_TRUE(token.pass(*taken, 0));
}

TEST_F(token_of_a_ring, is_taken_over_once) {
  const auto overdue = token.look();
  EXPECT_TRUE(token.take_over(overdue, 1));
  EXPECT_FALSE(token.take_over(overdue, 2));
  EXPECT_EQ(token.replica(token.look()), 1u);
}

TEST_F(token_of_a_ring, that_was_held_through_the_end_of_a_round_is_dead_in_the_next) {
  const auto held = token.claim(token.look());
  ASSERT_TRUE(held);
  token.open(0);
  EXPECT_FALSE(token.pass(*held, 1));
  EXPECT_TRUE(token.names(token.look(), 0));
  EXPECT_EQ(token.generation(token.look()), 1u);
}

constexpr std::size_t workers = 4;

// Unless somebody takes over, the holder of the token is alone, and sees the writes of all holders before it.
TEST_F(token_of_a_ring, hands_on_what_its_holders_wrote) {
  constexpr std::size_t passes = 20'000;
  std::uint64_t written = 0;
  std::atomic<bool> alone{true};
  test::run_together(workers, [&](std::size_t me) {
    // Two workers to a replica.
    const std::size_t replica = me / 2;
    for (;;) {
      const auto seen = token.look();
      if (token.generation(seen) >= passes) return;
      const auto held = token.names(seen, replica) ? token.claim(seen) : std::nullopt;
      if (!held) {
        std::this_thread::yield();
        continue;
      }
      if (written != token.generation(*held)) alone.store(false);
      ++written;
      if (!token.pass(*held, 1 - replica)) alone.store(false);
    }
  });
  EXPECT_TRUE(alone.load());
  EXPECT_EQ(written, passes);
}

// Everybody takes over all the time.
TEST_F(token_of_a_ring, gives_each_generation_to_one_worker) {
  constexpr std::size_t looks = 200'000;
  std::vector<std::uint64_t> created[workers], held[workers];
  test::run_together(workers, [&](std::size_t me) {
    for (std::size_t i = 0; i < looks; ++i) {
      const auto seen = token.look();
      // Two workers to a replica.
      const std::size_t replica = me / 2;
      auto mine = token.names(seen, replica) ? token.claim(seen) : std::nullopt;
      if (!mine && i % 8 == me) {
        mine = token.take_over(seen, replica);
        if (mine) created[me].push_back(token.generation(*mine));
      }
      if (!mine) continue;
      held[me].push_back(token.generation(*mine));
      if (i % 16 == 0) std::this_thread::yield();
      if (token.pass(*mine, 1 - replica)) created[me].push_back(token.generation(*mine) + 1);
    }
  });
  const auto sorted = [](const std::vector<std::uint64_t>(&lists)[workers]) {
    std::vector<std::uint64_t> all;
    for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
    std::sort(all.begin(), all.end());
    return all;
  };
  const auto all = sorted(created), hands = sorted(held);
  ASSERT_EQ(all.size(), token.generation(token.look()));
  for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], i + 1);
  EXPECT_EQ(std::adjacent_find(hands.begin(), hands.end()), hands.end());
}

}  // namespace
