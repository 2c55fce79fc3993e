// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/control/worker_slot.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "support/every_schedule.hpp"
#include "support/model_atomics.hpp"

// One slot under every schedule of guests that claim it and give it back (one may die), of a coordinator that leaves
// its owner out, and of one that reaps the dead; see model_checker.hpp.

using namespace hogwild;
using test::model_atomics;
using test::model_checker;
using test::schedule_options;

namespace {

using sound_slot = basic_worker_slot<model_atomics>;

constexpr const char* slot_has_one_owner = "a slot has one owner: who claimed it, until it gives it back or is reaped";
constexpr const char* tags_die =
    "the tag of somebody who is dead, or was left out, is never again the tag of an owner who counts";
constexpr const char* says_so = "who wakes after it was left out does not count before it says so";

template <class Slot>
class slot_schedules {
 public:
  slot_schedules(std::size_t guests, std::uint64_t left_out, const schedule_options& options)
      : guests_(guests), left_out_(left_out), checker_(world_, options) {
    for (std::size_t g = 0; g < guests; ++g)
      checker_.add(true, [this, g](model_checker::memory& kept) { return visit(g, kept[0]); });
    checker_.add(false, [this](model_checker::memory& kept) { return leave_out(kept[0]); });
    if (options.deaths > 0) checker_.add(false, [this](model_checker::memory& reaped) { return reap(reaped[0]); });
    checker_.always([this](bool) {
      std::size_t owners = 0;
      for (std::size_t g = 0; g < guests_; ++g) owners += world_.owns[g] ? 1u : 0u;
      checker_.require(owners <= 1, slot_has_one_owner);
      checker_.require(
          world_.slot.state.value != worker_state::active || !world_.was_dead[world_.slot.generation.value], tags_die);
    });
  }
  model_checker& checker() { return checker_; }

 private:
  struct shared {
    Slot slot{};
    std::array<bool, 3> owns{}, asleep{};  ///< each guest: has the slot, was left out and has not come back
    std::array<bool, 16> was_dead{};       ///< each generation: somebody could have found that its owner does not count
    std::uint32_t ended = 0;
  };

  /// Does what slot_lease of worker_process.cpp does; the pid is the guest's number + 1.
  bool visit(std::size_t g, std::uint64_t& step) {
    Slot& slot = world_.slot;
    const auto pid = static_cast<std::int32_t>(g + 1);
    if (step == 0) {
      if (!slot.claim(0, pid)) return checker_.note([this] { ++world_.ended; }), false;
      checker_.note([this, g] { world_.owns[g] = true; });
      slot.generation.fetch_add(1);
      slot.state.store(worker_state::joining);
      slot.arrived.store(0);
      slot.state.store(worker_state::active);
      step = 1;
      return true;
    }
    if (step == 1) {
      const bool in = slot.counts();
      checker_.note([&] { checker_.require(!in || !world_.asleep[g], says_so); });
      checker_.note([&] { world_.asleep[g] = false; });
      slot.come_back();
      step = 2;
      return true;
    }
    if (slot.pid.load() == pid) {
      slot.state.store(worker_state::free);
      checker_.note([this, g] {
        world_.owns[g] = false;
        world_.was_dead[world_.slot.generation.value] = true;
      });
      slot.pid.store(0);
    }
    checker_.note([this] { ++world_.ended; });
    return false;
  }

  bool leave_out(std::uint64_t& so_far) {
    if (so_far++ == left_out_) return false;
    const bool done = world_.slot.leave_out();
    checker_.note([&] {
      if (!done) return;
      world_.was_dead[world_.slot.generation.value] = true;
      for (std::size_t g = 0; g < guests_; ++g) world_.asleep[g] = world_.asleep[g] || world_.owns[g];
    });
    return true;
  }

  /// Does what worker_pool::reap() does.
  bool reap(std::uint64_t&) {
    const auto dead = [this] {
      for (std::size_t g = 0; g < guests_; ++g)
        if (checker_.is_dead(g) && world_.slot.pid.value == static_cast<std::int32_t>(g + 1)) return g + 1;
      return std::size_t{0};
    };
    const auto all_ended = [this] {
      std::uint32_t gone = world_.ended;
      for (std::size_t g = 0; g < guests_; ++g) gone += checker_.is_dead(g) ? 1u : 0u;
      return gone >= guests_;
    };
    checker_.await([&] { return dead() > 0 || all_ended(); });
    const std::uint64_t who = checker_.ask(dead);
    if (who == 0) return false;
    const std::uint32_t generation = world_.slot.generation.fetch_add(1);
    checker_.note([this, generation] { world_.was_dead[generation] = true; });
    world_.slot.state.exchange(worker_state::free);
    checker_.note([&] { world_.owns[who - 1] = false; });
    world_.slot.pid.store(0);
    return false;
  }

  std::size_t guests_;
  std::uint64_t left_out_;
  shared world_{};
  model_checker checker_;
};

using slot_under = test::under_every_schedule;

TEST_P(slot_under, every_schedule_keeps_its_sentences) {
  const auto holds = [&](std::size_t guests, std::uint64_t left_out, int deaths) {
    expect_sound(
        slot_schedules<sound_slot>(guests, left_out, {.store_buffers = GetParam(), .deaths = deaths}).checker());
  };
  holds(2, 2, 1);
  holds(3, 1, 1);
}

INSTANTIATE_TEST_SUITE_P(control, slot_under, testing::Bool(), test::name_of_buffers);

// The checker finds the fault of each of these slots.

template <class Slot>
std::set<std::string> slot_broken_by() {
  return slot_schedules<Slot>(2, 1, {.deaths = 1}).checker().broken_sentences();
}

struct claimed_after_a_look : sound_slot {
  bool claim(std::int32_t from, std::int32_t mine) noexcept {
    if (pid.load() != from) return false;
    pid.store(mine);
    return true;
  }
};
TEST(broken_slot, that_is_claimed_after_a_look_is_found) {
  EXPECT_EQ(slot_broken_by<claimed_after_a_look>().count(slot_has_one_owner), 1u);
}

struct comes_back_as_it_was : sound_slot {
  void come_back() noexcept {
    auto left_out = worker_state::left_out;
    state.compare_exchange_strong(left_out, worker_state::active);
  }
};
TEST(broken_slot, whose_owner_comes_back_under_its_old_generation_is_found) {
  EXPECT_EQ(slot_broken_by<comes_back_as_it_was>().count(tags_die), 1u);
}

struct counts_while_it_has_the_slot : sound_slot {
  bool counts() const noexcept { return state.load(std::memory_order_relaxed) != worker_state::free; }
};
TEST(broken_slot, whose_owner_counts_although_it_was_left_out_is_found) {
  EXPECT_EQ(slot_broken_by<counts_while_it_has_the_slot>().count(says_so), 1u);
}

}  // namespace
