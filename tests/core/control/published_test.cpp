// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/control/std_atomics.hpp>

#include <cstdint>
#include <thread>

#include <gtest/gtest.h>

#include <hogwild/detail/control/control_block.hpp>
#include <hogwild/detail/control/worker_slot.hpp>

using namespace hogwild;

namespace {

TEST(published, raises_and_wraps_like_its_number) {
  published<std::uint32_t> p{};
  p.set(0xffffffffu);
  p.raise(2);
  EXPECT_EQ(p.get(), 1u);
}

TEST(published, readers_see_the_writers_numbers_grow) {
  published<std::uint64_t> p{};
  bool fell = false;
  {
    std::jthread reader([&] {
      for (std::uint64_t last = 0; last < 20'000;) {
        const std::uint64_t now = p.get();
        fell = fell || now < last;
        last = now;
      }
    });
    for (int i = 0; i < 20'000; ++i) p.raise(1);
  }
  EXPECT_FALSE(fell);
  EXPECT_EQ(p.get(), 20'000u);
}

TEST(control_block, stops_for_either_request) {
  control_block c{};
  EXPECT_FALSE(c.stopping());
  c.stop = stop_request::round;
  EXPECT_TRUE(c.stopping());
  c.stop = stop_request::leave;
  EXPECT_TRUE(c.stopping());
}

TEST(worker_slot, counts_only_while_it_is_active) {
  worker_slot slot{};
  for (const auto state :
       {worker_state::free, worker_state::joining, worker_state::active, worker_state::left_out, worker_state::free}) {
    slot.state = state;
    EXPECT_EQ(slot.counts(), state == worker_state::active);
  }
}

}  // namespace
