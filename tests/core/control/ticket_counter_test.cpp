// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/control/ticket_counter.hpp>

#include <array>
#include <atomic>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "support/threads.hpp"

using namespace hogwild;

namespace {

TEST(ticket_counter, deals_tickets_in_sequence_and_then_none) {
  ticket_counter c{};
  c.open(1, 3);
  EXPECT_EQ(c.draw(1, 5), 3u);
  EXPECT_EQ(c.draw(1, 5), 4u);
  EXPECT_EQ(c.draw(1, 5), std::nullopt);
  EXPECT_EQ(c.draw(1, 5), std::nullopt);
}

TEST(ticket_counter, deals_nothing_to_whoever_is_in_another_round) {
  ticket_counter c{};
  c.open(2, 0);
  EXPECT_EQ(c.draw(1, 10), std::nullopt);
  EXPECT_EQ(c.draw(3, 10), std::nullopt);
  EXPECT_EQ(c.draw(2, 10), 0u);
  c.open(3, 0);
  EXPECT_EQ(c.draw(2, 10), std::nullopt);
  EXPECT_EQ(c.draw(3, 10), 0u);
}

TEST(ticket_counter, an_empty_range_has_no_ticket) {
  ticket_counter c{};
  c.open(1, 7);
  EXPECT_EQ(c.draw(1, 7), std::nullopt);
}

TEST(ticket_counter, many_threads_draw_each_ticket_exactly_once) {
  constexpr std::size_t tickets = 1'500'000, workers = 4;
  ticket_counter c{};
  for (std::uint32_t round = 1; round <= 2; ++round) {
    c.open(round, 0);
    std::vector<std::atomic<std::uint8_t>> drawn(tickets);
    test::run_together(workers, [&](std::size_t) {
      while (const auto t = c.draw(round, tickets)) drawn[*t].fetch_add(1);
    });
    for (const auto& n : drawn) ASSERT_EQ(n.load(), 1);
  }
}

}  // namespace
