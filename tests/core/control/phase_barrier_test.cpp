// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/control/phase_barrier.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "support/eventually.hpp"
#include "support/threads.hpp"

using namespace hogwild;
using namespace std::chrono_literals;

namespace {

struct phase_barrier_of_some : testing::Test {
  const std::unique_ptr<phase_barrier> b = std::make_unique<phase_barrier>();
};

TEST_F(phase_barrier_of_some, a_meeting_is_complete_when_the_last_one_has_come) {
  const std::uint32_t number = b->arrive(2);
  EXPECT_EQ(b->look(number), meeting::open);
  EXPECT_EQ(b->arrive(2), number);
  EXPECT_EQ(b->look(number), meeting::complete);
  EXPECT_EQ(b->wait(number, 0ns), meeting::complete);
  const std::uint32_t next = b->arrive(2);
  EXPECT_NE(next, number);
  EXPECT_EQ(b->look(next), meeting::open);
}

TEST_F(phase_barrier_of_some, one_member_never_waits) {
  for (int i = 0; i < 5; ++i) EXPECT_EQ(b->wait(b->arrive(1), 1h), meeting::complete);
}

TEST_F(phase_barrier_of_some, a_wait_ends_after_its_timeout) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(test::ends_within(10s, [&] { EXPECT_EQ(b->wait(b->arrive(2), 20ms), meeting::open); }));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 20ms);
  EXPECT_EQ(b->sleepers.load(), 0u);
}

TEST_F(phase_barrier_of_some, numbers_go_around) {
  b->phase = phase_barrier::phases;
  const std::uint32_t last = b->arrive(1);
  EXPECT_EQ(last, phase_barrier::phases);
  EXPECT_EQ(b->look(last), meeting::complete);
  EXPECT_EQ(b->arrive(2), 0u);
  EXPECT_FALSE(b->is_broken());
}

TEST_F(phase_barrier_of_some, is_broken_off_once_and_for_ever) {
  const std::uint32_t number = b->arrive(2);
  EXPECT_TRUE(b->break_off(number));
  EXPECT_FALSE(b->break_off(number));
  EXPECT_FALSE(b->break_off());
  EXPECT_TRUE(b->is_broken());
  EXPECT_EQ(b->look(number), meeting::broken);
  EXPECT_EQ(b->wait(b->arrive(2), 1h), meeting::broken);
  EXPECT_EQ(b->wait(b->arrive(1), 1h), meeting::broken);
}

TEST_F(phase_barrier_of_some, a_complete_meeting_cannot_be_broken_off_and_stays_complete) {
  const std::uint32_t number = b->arrive(1);
  EXPECT_FALSE(b->break_off(number));
  EXPECT_FALSE(b->is_broken());
  EXPECT_TRUE(b->break_off());
  EXPECT_EQ(b->look(number), meeting::complete);
}

TEST_F(phase_barrier_of_some, breaking_off_wakes_who_sleeps) {
  std::atomic<bool> woken = false;
  const std::jthread sleeper([&] {
    EXPECT_EQ(b->wait(b->arrive(2), 1min), meeting::broken);
    woken = true;
  });
  while (b->sleepers.load() == 0) std::this_thread::yield();
  b->break_off();
  EXPECT_TRUE(test::eventually(30s, [&] { return woken.load(); }));
}

/// Each member writes plain memory before a meeting and reads everybody's after it: ThreadSanitizer sees whether the
/// barrier orders them, the sums whether anybody came too early.
void meet_often(std::uint32_t members, std::uint32_t times) {
  const auto b = std::make_unique<phase_barrier>();
  std::vector<std::uint64_t> written(members);
  test::run_together(members, [&](std::size_t me) {
    const auto meet = [&] {
      const std::uint32_t number = b->arrive(members);
      while (b->wait(number, 1s) == meeting::open) continue;
    };
    for (std::uint32_t k = 1; k <= times; ++k) {
      written[me] = k;
      meet();
      for (const std::uint64_t w : written) ASSERT_EQ(w, k);
      meet();
    }
  });
  EXPECT_EQ(b->phase.load(), 2 * times);
}

TEST(phase_barrier, orders_what_two_members_write) {
  meet_often(2, 2000);
}

TEST(phase_barrier, orders_what_more_members_write_than_there_are_cpus) {
  meet_often(8, 200);
}

}  // namespace
