// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/control/round_robin.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/control/worker_slot.hpp>

#include "support/every_schedule.hpp"
#include "support/model_atomics.hpp"
#include "support/modelled_workers.hpp"

// The circle of workers under every schedule of its members. One may die, and one may be left out at any moment and
// come back at any later one. See model_checker.hpp.

using namespace hogwild;
using test::model_atomics;
using test::model_checker;
using test::schedule_options;

namespace {

using slot_type = basic_worker_slot<model_atomics>;

constexpr const char* one_goes_at_a_time = "of those who are present and count, one goes at a time";
constexpr const char* goes_on = "who counts goes on until it hands on";
constexpr const char* passed_over = "nobody waits for ever";
constexpr const char* no_turn_lost = "no add is lost while nobody dies or is left out";

struct sound_circle {
  using circle = basic_round_robin<model_atomics>;
};

template <class Circle>
class circle_schedules {
 public:
  circle_schedules(std::size_t workers, std::uint64_t turns, std::uint64_t left_out, const schedule_options& options)
      : workers_(workers), turns_(turns), left_out_(left_out), deaths_(options.deaths), checker_(world_, options) {
    for (std::size_t w = 0; w < workers; ++w) {
      world_.slots[w].state.value = worker_state::active;
      world_.slots[w].generation.value = 1;
      checker_.add(true, [this, w](model_checker::memory& kept) { return go(w, kept); });
    }
    test::add_coordinator(checker_, world_, workers, left_out, options.deaths);
    checker_.always([this](bool all_ended) {
      if (all_ended && left_out_ == 0 && deaths_ == 0)
        checker_.require(world_.sum.value == turns_ * workers_, no_turn_lost);
    });
  }
  model_checker& checker() { return checker_; }

 private:
  using circle = typename Circle::circle;

  struct shared {
    std::array<slot_type, 3> slots{};
    std::array<std::uint32_t, circle::words_for(4)> words{};
    std::array<std::uint32_t, 3> holds{};  ///< with which count
    std::uint32_t at_work = 0;
    model_atomics::atomic<std::uint32_t> sum{};
    std::uint32_t unused = 0;
  };

  static bool slot_counts(const void* slots, std::size_t slot) noexcept {
    return static_cast<const slot_type*>(slots)[slot].is_waited_for();
  }
  /// The same from the actual state, without an operation.
  bool counts(std::size_t w, std::uint32_t count) const {
    return world_.slots[w].state.value == worker_state::active && count % 2 == 1 && count_of(w) == count;
  }
  std::uint32_t count_of(std::size_t w) const { return world_.words[circle::first_count + w]; }

  bool go(std::size_t w, model_checker::memory& kept) {
    std::uint64_t &done = kept[0], &inside = kept[1];
    const circle workers(world_.words, workers_, w, slot_counts, world_.slots.data());
    if (inside == 0 && done == turns_) return checker_.note([this] { ++world_.at_work; }), false;
    if (inside == 0) {
      world_.slots[w].come_back();
      workers.enter();
      inside = 1;
      return true;
    }
    const bool mine = done < turns_ && workers.take([&] { return !slot_counts(world_.slots.data(), w); });
    if (!mine) {
      workers.leave();
      inside = 0;
      return true;
    }
    checker_.note([&] {
      world_.holds[w] = count_of(w);
      for (std::size_t v = 0; v < workers_; ++v)
        checker_.require(v == w || world_.holds[v] == 0 || !counts(v, world_.holds[v]) || !counts(w, count_of(w)),
                         one_goes_at_a_time);
    });
    const std::uint32_t before = world_.sum.load(std::memory_order_relaxed);
    world_.sum.store(before + 1, std::memory_order_relaxed);
    checker_.note([&] {
      checker_.require(!counts(w, count_of(w)) || (world_.words[0] & 0xfff) == w + 1, goes_on);
      world_.holds[w] = 0;
    });
    workers.hand_on();
    ++done;
    return true;
  }

  std::size_t workers_;
  std::uint64_t turns_, left_out_;
  int deaths_;
  shared world_{};
  model_checker checker_;
};

using circle_under = test::under_every_schedule;

TEST_P(circle_under, every_schedule_keeps_its_sentences) {
  const auto holds = [&](std::size_t workers, std::uint64_t turns, std::uint64_t left_out, int deaths) {
    expect_sound(
        circle_schedules<sound_circle>(workers, turns, left_out, {.store_buffers = GetParam(), .deaths = deaths})
            .checker());
  };
  holds(2, 2, 0, 0);
  if (!GetParam()) holds(3, 1, 0, 0);  // with them there are too many situations for a short test
  holds(2, 1, 0, 1);
  holds(2, 1, 1, 0);
}

INSTANTIATE_TEST_SUITE_P(control, circle_under, testing::Bool(), test::name_of_buffers);

// The checker finds the fault of each of these circles.

template <class Circle>
std::set<std::string> circle_broken_by(std::uint64_t left_out, int deaths = 0) {
  return circle_schedules<Circle>(2, 1, left_out, {.deaths = deaths}).checker().broken_sentences();
}

/// Waits for the worker that has the turn.
struct circle_of_patient : sound_circle {
  struct circle : sound_circle::circle {
    circle(std::span<std::uint32_t> words, std::size_t slots, std::size_t slot, liveness, const void* context)
        : sound_circle::circle(
              words, slots, slot, [](const void*, std::size_t) noexcept { return true; }, context) {}
  };
};
TEST(broken_circle, in_which_nobody_takes_the_place_of_the_dead_is_found) {
  EXPECT_EQ(circle_broken_by<circle_of_patient>(0), std::set<std::string>{});
  EXPECT_EQ(circle_broken_by<circle_of_patient>(0, 1), std::set<std::string>{passed_over});
}

/// Hands on the turn even if it is another worker's.
struct circle_of_careless : sound_circle {
  struct circle : sound_circle::circle {
    circle(std::span<std::uint32_t> words, std::size_t slots, std::size_t slot, liveness counts, const void* context)
        : sound_circle::circle(words, slots, slot, counts, context), all(words) {}
    void hand_on() const { model_atomics::atomic_ref<std::uint32_t>(all[0]).store(0); }
    std::span<std::uint32_t> all;
  };
};
TEST(broken_circle, whose_workers_hand_on_what_they_lost_is_found) {
  EXPECT_EQ(circle_broken_by<circle_of_careless>(0), std::set<std::string>{});
  const auto broken = circle_broken_by<circle_of_careless>(1);
  EXPECT_TRUE(broken.contains(goes_on) || broken.contains(one_goes_at_a_time));
}

/// Leaves without announcing it.
struct circle_left_in_silence : sound_circle {
  struct circle : sound_circle::circle {
    using sound_circle::circle::circle;
    void leave() const {}
  };
};
TEST(broken_circle, whose_workers_leave_with_the_turn_is_found) {
  EXPECT_EQ(circle_broken_by<circle_left_in_silence>(0), std::set<std::string>{passed_over});
}

}  // namespace
