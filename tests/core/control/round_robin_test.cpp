// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/control/round_robin.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

using namespace hogwild;

namespace {

struct circle_of_workers : testing::Test {
  static constexpr std::size_t slots = 4;
  static bool slot_counts(const void* of, std::size_t slot) noexcept {
    return static_cast<const std::array<bool, slots>*>(of)->at(slot);
  }
  static bool at_once() { return true; }

  round_robin worker(std::size_t slot) { return {words, slots, slot, slot_counts, &live}; }

  std::vector<std::uint32_t> words = std::vector<std::uint32_t>(round_robin::words_for(slots));
  std::array<bool, slots> live{true, true, true, true};
};

TEST_F(circle_of_workers, go_one_after_the_other_in_the_order_of_their_slots) {
  for (const std::size_t w : {0u, 2u, 3u}) worker(w).enter();  // slot 1 is nobody's
  ASSERT_TRUE(worker(2).take(at_once));
  EXPECT_FALSE(worker(0).take(at_once));
  EXPECT_FALSE(worker(3).take(at_once));
  for (const std::size_t next : {3u, 0u, 2u, 3u}) {
    const std::size_t before = next == 0 ? 3 : next == 2 ? 0 : 2;
    worker(before).hand_on();
    EXPECT_FALSE(worker(before).take(at_once)) << before;
    EXPECT_TRUE(worker(next).take(at_once)) << next;
  }
}

TEST_F(circle_of_workers, who_is_alone_goes_again_and_again) {
  worker(1).enter();
  for (int turn = 0; turn < 3; ++turn) {
    ASSERT_TRUE(worker(1).take(at_once));
    worker(1).hand_on();
  }
}

TEST_F(circle_of_workers, who_leaves_takes_the_turn_to_nobody) {
  worker(0).enter();
  worker(1).enter();
  ASSERT_TRUE(worker(0).take(at_once));
  worker(0).leave();
  EXPECT_TRUE(worker(1).take(at_once));
  worker(1).leave();
  worker(0).enter();
  EXPECT_TRUE(worker(0).take(at_once));
}

TEST_F(circle_of_workers, the_turn_of_who_died_or_was_left_out_goes_to_who_waits) {
  worker(0).enter();
  worker(1).enter();
  ASSERT_TRUE(worker(0).take(at_once));
  live[0] = false;
  std::size_t asked = 0;
  EXPECT_TRUE(worker(1).take([&] { return ++asked > 10; }));
  worker(0).hand_on();  // it wakes, and has nothing to hand on any more
  EXPECT_TRUE(worker(1).take(at_once));

  live[0] = true;
  worker(0).enter();  // another worker in the slot of a dead one that has not left
  worker(1).hand_on();
  EXPECT_TRUE(worker(0).take(at_once));
}

TEST_F(circle_of_workers, of_several_threads_each_goes_as_often_as_the_others) {
  constexpr std::size_t turns = 500;
  std::vector<std::size_t> went;  // in the order of their turns
  std::vector<std::jthread> threads;
  for (std::size_t w = 0; w < slots; ++w) worker(w).enter();
  for (std::size_t w = 0; w < slots; ++w) {
    threads.emplace_back([&, w] {
      const round_robin mine = worker(w);
      for (std::size_t turn = 0; turn < turns; ++turn) {
        if (!mine.take([] { return false; })) return;
        went.push_back(w);
        mine.hand_on();
      }
      mine.leave();
    });
  }
  threads.clear();
  ASSERT_EQ(went.size(), turns * slots);
  // Nobody is passed over until the first worker is through.
  for (std::size_t i = slots; i < went.size() - slots; ++i) ASSERT_EQ(went[i], went[i - slots]) << i;
}

}  // namespace
