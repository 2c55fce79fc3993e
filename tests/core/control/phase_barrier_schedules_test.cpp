// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/control/phase_barrier.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "support/every_schedule.hpp"
#include "support/model_atomics.hpp"

// A barrier under every schedule of its members; one may die. See model_checker.hpp.

using namespace hogwild;
using test::model_checker;
using test::schedule_options;

namespace {

using sound_barrier = basic_phase_barrier<test::model_atomics>;

constexpr const char* complete_with_all = "a meeting is complete when everybody came, and not before";
constexpr const char* arrived_is_seen =
    "what members wrote before they arrived is seen by all for whom the meeting is complete";
constexpr const char* stays_complete = "a meeting that is complete stays complete, though the barrier be broken off";
constexpr const char* broken_once = "one call breaks a barrier off, and then everybody leaves it";
constexpr const char* barrier_wakes = "no wake-up is lost: timeouts are for the dead";

template <class Barrier>
class barrier_schedules {
 public:
  barrier_schedules(std::uint32_t members, std::uint32_t meetings, const schedule_options& options)
      : members_(members), meetings_(meetings), checker_(world_, options) {
    for (std::uint32_t m = 0; m < members; ++m)
      checker_.add(true, [this, m](model_checker::memory& kept) { return meet(m, kept[0], kept[1]); });
    checker_.always([this](bool all_ended) {
      if (!all_ended) return;
      checker_.require(world_.breakers <= 1, broken_once);
      checker_.require(dead() > 0 || (world_.breakers == 0 && world_.barrier.phase.value == meetings_),
                       complete_with_all);
    });
  }
  model_checker& checker() { return checker_; }

 private:
  struct shared {
    Barrier barrier{};
    std::array<test::model_atomics::atomic<std::uint32_t>, 3> written{};  ///< by each member: its meetings so far
    std::array<std::uint32_t, 3> came{};
    std::uint32_t breakers = 0;
  };

  bool meet(std::uint32_t me, std::uint64_t& meeting, std::uint64_t& met) {
    Barrier& barrier = world_.barrier;
    const auto number = static_cast<std::uint32_t>(meeting + 1);
    if (met == 0) {
      if (meeting == meetings_) return false;
      checker_.note([&] { world_.came[me] = number; });
      world_.written[me].store(number, std::memory_order_relaxed);
      met = barrier.arrive(members_) + std::uint64_t{1};
      return true;
    }
    const auto open = static_cast<std::uint32_t>(met - 1);
    const hogwild::meeting found = barrier.wait(open, std::chrono::milliseconds(1));
    if (found == meeting::broken) return false;
    if (found == meeting::open) {
      const bool lost = checker_.ask([this] { return dead(); }) > 0;
      if (lost && barrier.break_off(open)) checker_.note([this] { ++world_.breakers; });
      return true;
    }
    checker_.note([&] {
      for (std::uint32_t m = 0; m < members_; ++m) {
        checker_.require(world_.came[m] >= number, complete_with_all);
        checker_.require(world_.written[m].value >= number, arrived_is_seen);
      }
    });
    checker_.require(barrier.look(open) == meeting::complete, stays_complete);
    ++meeting;
    met = 0;
    return true;
  }
  std::uint32_t dead() const {
    std::uint32_t n = 0;
    for (std::uint32_t m = 0; m < members_; ++m) n += checker_.is_dead(m) ? 1u : 0u;
    return n;
  }

  std::uint32_t members_, meetings_;
  shared world_{};
  model_checker checker_;
};

using barrier_under = test::under_every_schedule;

TEST_P(barrier_under, every_schedule_keeps_its_sentences) {
  const auto holds = [&](std::uint32_t members, std::uint32_t meetings, int deaths, int timeouts) {
    expect_sound(barrier_schedules<sound_barrier>(members, meetings,
                                                  {.store_buffers = GetParam(), .deaths = deaths, .timeouts = timeouts})
                     .checker());
  };
  holds(2, 3, 0, 0);
  holds(2, 3, 1, 2);
  holds(3, 2, 1, 0);
  holds(3, 1, 1, 1);
}

INSTANTIATE_TEST_SUITE_P(control, barrier_under, testing::Bool(), test::name_of_buffers);

// The checker finds the fault of each of these barriers.

template <class Barrier>
std::set<std::string> barrier_broken_by(std::uint32_t members, const schedule_options& options) {
  return barrier_schedules<Barrier>(members, 2, options).checker().broken_sentences();
}

/// Zeroes the count for the next meeting when members may be coming to it.
struct zeroed_late : sound_barrier {
  std::uint32_t arrive(std::uint32_t members) noexcept {
    std::uint32_t number = phase.load();
    if (arrived.fetch_add(1) + 1 == members) {
      std::uint32_t open = number;
      if (phase.compare_exchange_strong(open, number + 1) && sleepers.load() > 0) test::model_atomics::wake_all(phase);
      arrived.store(0);
    }
    return number;
  }
};
TEST(broken_barrier, whose_count_is_zeroed_late_is_found) {
  EXPECT_EQ(barrier_broken_by<zeroed_late>(2, {}), std::set<std::string>{barrier_wakes});
}

/// Looks for sleepers before it opens the next meeting.
struct looks_first : sound_barrier {
  std::uint32_t arrive(std::uint32_t members) noexcept {
    std::uint32_t number = phase.load();
    if (arrived.fetch_add(1) + 1 == members) {
      arrived.store(0);
      const bool wake = sleepers.load() > 0;
      std::uint32_t open = number;
      if (phase.compare_exchange_strong(open, number + 1) && wake) test::model_atomics::wake_all(phase);
    }
    return number;
  }
};
TEST(broken_barrier, that_looks_for_sleepers_before_it_opens_is_found) {
  EXPECT_EQ(barrier_broken_by<looks_first>(2, {}), std::set<std::string>{barrier_wakes});
}

/// The same fault, made by the processor: the store waits in its buffer while the sleepers are looked for.
struct meeting_opened_by_release : sound_barrier {
  std::uint32_t arrive(std::uint32_t members) noexcept {
    std::uint32_t number = phase.load();
    if (arrived.fetch_add(1) + 1 == members) {
      arrived.store(0);
      phase.store(number + 1, std::memory_order_release);
      if (sleepers.load() > 0) test::model_atomics::wake_all(phase);
    }
    return number;
  }
};
TEST(broken_barrier, whose_meeting_is_opened_by_a_release_is_found_where_there_are_store_buffers) {
  EXPECT_EQ(barrier_broken_by<meeting_opened_by_release>(2, {}), std::set<std::string>{});
  EXPECT_EQ(barrier_broken_by<meeting_opened_by_release>(2, {.store_buffers = true}),
            std::set<std::string>{barrier_wakes});
}
TEST(broken_barrier, that_opens_what_was_broken_off_is_found) {
  EXPECT_EQ(barrier_broken_by<meeting_opened_by_release>(3, {.deaths = 1, .timeouts = 1, .until = broken_once})
                .count(broken_once),
            1u);
}

/// Looks complete to a worker that does not check which meeting it was.
struct broken_hides_complete : sound_barrier {
  meeting look(std::uint32_t number) const noexcept {
    if (is_broken()) return meeting::broken;
    return sound_barrier::look(number);
  }
  meeting wait(std::uint32_t number, std::chrono::nanoseconds timeout) noexcept {
    return look(number) == meeting::open ? sound_barrier::wait(number, timeout) : look(number);
  }
};
TEST(broken_barrier, that_forgets_what_was_complete_is_found) {
  EXPECT_EQ(barrier_broken_by<broken_hides_complete>(3, {.deaths = 1, .until = stays_complete}).count(stays_complete),
            1u);
}

}  // namespace
