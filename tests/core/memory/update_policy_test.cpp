// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/memory/update_policy.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>

#include <gtest/gtest.h>

#include <hogwild/detail/memory/param_view.hpp>

#include "support/eventually.hpp"

using namespace hogwild;
using namespace std::chrono_literals;

namespace {

constexpr stripe_locks::tag self = 1, other = 2;

std::atomic<std::size_t> asked_who_lives{0};

/// Whether `other` lives, as the atomic says; nobody else is ever asked about.
bool other_lives(const void* context, stripe_locks::tag owner) noexcept {
  ++asked_who_lives;
  return owner != other || static_cast<const std::atomic<bool>*>(context)->load();
}

struct stripe_locks_of : testing::Test {
  stripe_locks locks(stripe_locks::tag tag) { return {stripes, tag, other_lives, &lives}; }

  std::array<std::uint32_t, 4> stripes{};
  std::atomic<bool> lives{true};
};

TEST_F(stripe_locks_of, a_stripe_carries_its_owners_tag_while_locked) {
  locks(self).lock(0);
  EXPECT_EQ(stripes, (std::array<std::uint32_t, 4>{self, 0, 0, 0}));
  locks(self).unlock(0);
  EXPECT_EQ(stripes, (std::array<std::uint32_t, 4>{}));
}

TEST_F(stripe_locks_of, sixteen_neighbours_have_one_stripe_and_stripes_go_round) {
  locks(self).lock(15);
  locks(self).lock(16);
  locks(self).lock(4 * 16 - 1);
  EXPECT_EQ(stripes, (std::array<std::uint32_t, 4>{self, self, 0, self}));
  locks(self).unlock(4 * 16);  // the first stripe again
  EXPECT_EQ(stripes[0], 0u);
}

TEST_F(stripe_locks_of, a_dead_owners_stripe_is_taken_over) {
  locks(other).lock(5);
  lives = false;
  locks(self).lock(5);  // returns, because the owner is dead
  EXPECT_EQ(stripes[0], self);
  locks(self).unlock(5);
  EXPECT_EQ(stripes[0], 0u);
}

TEST_F(stripe_locks_of, a_living_owners_stripe_is_waited_for) {
  locks(other).lock(5);
  std::atomic<bool> got_it{false};
  const std::size_t before = asked_who_lives;
  std::jthread waiter([&] {
    locks(self).lock(5);
    got_it = true;
    locks(self).unlock(5);
  });
  EXPECT_TRUE(test::eventually(60s, [&] { return asked_who_lives > before + 1; })) << "it does not wait";
  EXPECT_FALSE(got_it.load());
  locks(other).unlock(5);
  waiter.join();
  EXPECT_TRUE(got_it.load());
}

TEST_F(stripe_locks_of, a_view_adds_through_a_stripe_that_a_dead_worker_left_locked) {
  std::array<float, 8> values{};
  const param_view<float, update::locked> w{std::span<float>(values), update::locked{locks(self)}};
  locks(other).lock(0);
  lives = false;
  w.add(3, 1.0f);
  EXPECT_EQ(w.load(3), 1.0f);
  EXPECT_EQ(stripes[0], 0u);
}

TEST_F(stripe_locks_of, who_wakes_late_does_not_unlock_what_was_taken_over_from_it) {
  locks(other).lock(5);
  lives = false;
  locks(self).lock(5);
  locks(other).unlock(5);
  EXPECT_EQ(stripes[0], self);
  locks(self).unlock(5);
  EXPECT_EQ(stripes[0], 0u);
}

TEST_F(stripe_locks_of, one_look_takes_a_free_stripe_or_a_dead_owners) {
  EXPECT_TRUE(locks(other).is_free(2));
  EXPECT_TRUE(locks(other).try_lock_stripe(2));
  EXPECT_FALSE(locks(self).try_lock_stripe(2));
  EXPECT_FALSE(locks(self).is_free(2));
  lives = false;
  EXPECT_TRUE(locks(self).try_lock_stripe(2));
  // The former owner wakes up and unlocks the stripe, but does not take it from its new owner.
  locks(other).unlock_stripe(2);
  EXPECT_EQ(stripes[2], self);
  locks(self).unlock_stripe(2);
  EXPECT_TRUE(locks(self).is_free(2));
}

}  // namespace
