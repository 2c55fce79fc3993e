// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/control/epoch_gate.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>

#include <gtest/gtest.h>

#include "support/every_schedule.hpp"
#include "support/model_atomics.hpp"

// The gate under every schedule of a coordinator and its workers: they join while rounds are opened and closed, one may
// die, one may be left out at any moment and wake at any later one; see model_checker.hpp.

using namespace hogwild;
using test::model_atomics;
using test::model_checker;
using test::schedule_options;

namespace {

constexpr const char* waited_for =
    "a worker that joins or wakes at the last moment either is waited for or has seen the gate closed";
constexpr const char* plan_stays =
    "whoever counts trains by the plan of the round that it found open, and the plan stays until it has arrived";
constexpr const char* gate_wakes = "no wake-up is lost: timeouts are for the dead";

struct sound_gate {
  using keeper = basic_gate_controller<model_atomics>;
  using visitor = basic_gate_visitor<model_atomics>;
  static constexpr bool counts_arrivals_first = true, looks_again_when_closed = true;
};

struct gate_run {
  std::size_t workers;
  std::uint64_t rounds;
  std::size_t joining = 0;     ///< of the workers; the others wait at the gate
  std::uint64_t left_out = 0;  ///< how many workers at most
};

template <class Gate>
class gate_schedules {
 public:
  gate_schedules(const gate_run& run, const schedule_options& options) : run_(run), checker_(world_, options) {
    world_.control.gate.value = 2;
    for (std::size_t w = run.joining; w < run.workers; ++w)
      world_.slots[w].state.value = worker_state::active, world_.slots[w].arrived.value = 2;
    for (std::size_t w = 0; w < run.workers; ++w)
      checker_.add(true, [this, w](model_checker::memory& kept) { return work(w, kept[0], kept[1]); });
    checker_.add(false, [this](model_checker::memory& kept) { return coordinate(kept); });
  }
  model_checker& checker() { return checker_; }

 private:
  using slot_type = basic_worker_slot<model_atomics>;
  struct shared {
    basic_control_block<model_atomics> control{};
    std::array<slot_type, 2> slots{};
    model_atomics::atomic<std::uint32_t> plan{};
    std::array<bool, 2> trains{};
  };

  bool counts(std::size_t w) const { return world_.slots[w].state.value == worker_state::active; }

  bool work(std::size_t w, std::uint64_t& seen, std::uint64_t& joined) {
    slot_type& me = world_.slots[w];
    if (w >= run_.joining && seen == 0) seen = 2;
    if (w < run_.joining && joined == 0) {
      me.state.store(worker_state::active);
      joined = 1;
      return true;
    }
    if (world_.control.leaving()) return false;
    typename Gate::visitor visitor(world_.control, me);
    const std::uint32_t gate = visitor.next(static_cast<std::uint32_t>(seen), std::chrono::milliseconds(1));
    if (gate == seen) return true;
    if (gate_open(gate)) {
      checker_.note([&] { world_.trains[w] = true; });
      const std::uint32_t plan = world_.plan.load(std::memory_order_relaxed);
      const bool in = me.counts();
      checker_.note([&] {
        if (in) checker_.require(plan == gate / 2 && world_.plan.value == plan, plan_stays);
        world_.trains[w] = false;
      });
      if (!in) return true;
    }
    visitor.arrive(gate);
    seen = gate;
    return true;
  }

  void require_rest() {
    checker_.note([this] {
      for (std::size_t w = 0; w < run_.workers; ++w)
        checker_.require(!world_.trains[w] || !counts(w) || checker_.is_dead(w), waited_for);
    });
  }

  // Does what worker_pool::run_round() does, one look at a time.
  bool coordinate(model_checker::memory& kept) {
    std::uint64_t &round = kept[0], &step = kept[1], &opened = kept[2], &left_out = kept[3];
    typename Gate::keeper keeper(world_.control, std::span(world_.slots).first(run_.workers));
    if (step == 0 && round == run_.rounds) return keeper.dismiss(), false;
    if (step == 0) {
      world_.plan.store(static_cast<std::uint32_t>(round + 1), std::memory_order_relaxed);
      require_rest();
      opened = keeper.open();
      step = 1;
      return true;
    }
    const auto value = static_cast<std::uint32_t>(opened);
    std::uint32_t arrivals = world_.control.arrivals.load();
    if ((step == 2 && !Gate::looks_again_when_closed) || !keeper.any_absent(value)) {
      if (step == 1) return keeper.close(), step = 2, true;
      require_rest();
      step = 0, ++round;
      return true;
    }
    for (std::size_t w = 0; w < run_.workers; ++w) {
      const bool dead = checker_.ask([this, w] { return checker_.is_dead(w) && counts(w); }) != 0;
      if (dead) return world_.slots[w].state.store(worker_state::free), true;
    }
    if (left_out < run_.left_out) {
      if (const std::uint64_t who = checker_.choose(run_.workers + 1); who < run_.workers) {
        if (Gate::keeper::absent(world_.slots[who], value)) world_.slots[who].leave_out();
        ++left_out;
        return true;
      }
    }
    if (!Gate::counts_arrivals_first) arrivals = world_.control.arrivals.load();
    keeper.wait_for_arrival(arrivals, std::chrono::milliseconds(1));
    return true;
  }

  gate_run run_;
  shared world_{};
  model_checker checker_;
};

using gate_under = test::under_every_schedule;

TEST_P(gate_under, every_schedule_keeps_its_sentences) {
  const auto holds = [&](const gate_run& run, int deaths, int timeouts) {
    expect_sound(gate_schedules<sound_gate>(run, {.store_buffers = GetParam(), .deaths = deaths, .timeouts = timeouts})
                     .checker());
  };
  holds({.workers = 1, .rounds = 3, .joining = 1, .left_out = 1}, 0, 0);
  holds({.workers = 1, .rounds = 2, .joining = 1, .left_out = 1}, 1, 1);
  holds({.workers = 2, .rounds = 1, .joining = 1}, 0, 0);
  // This has most situations; a store buffer adds next to none, since only the plan may wait in one.
  if (!GetParam()) holds({.workers = 2, .rounds = 1, .left_out = 1}, 0, 0);
  holds({.workers = 2, .rounds = 1}, 1, 0);
}

INSTANTIATE_TEST_SUITE_P(control, gate_under, testing::Bool(), test::name_of_buffers);

// The checker finds the fault of each of these gates.

template <class Gate>
std::set<std::string> gate_broken_by(const gate_run& run, bool store_buffers = false) {
  return gate_schedules<Gate>(run, {.store_buffers = store_buffers}).checker().broken_sentences();
}
constexpr gate_run one_joins{.workers = 1, .rounds = 2, .joining = 1},
    one_wakes{.workers = 1, .rounds = 2, .left_out = 1};

struct looks_once : sound_gate {
  static constexpr bool looks_again_when_closed = false;
};
TEST(broken_gate, whose_slots_are_not_looked_at_when_it_is_closed_is_found) {
  EXPECT_EQ(gate_broken_by<looks_once>(one_joins).count(waited_for), 1u);
}

struct counts_arrivals_late : sound_gate {
  static constexpr bool counts_arrivals_first = false;
};
TEST(broken_gate, whose_arrivals_are_counted_after_the_slots_is_found) {
  EXPECT_EQ(gate_broken_by<counts_arrivals_late>(one_joins), std::set<std::string>{gate_wakes});
}

/// Announces that it counts only after it has looked at the gate.
struct looks_before_it_counts : sound_gate {
  struct visitor : sound_gate::visitor {
    visitor(basic_control_block<model_atomics>& control, basic_worker_slot<model_atomics>& self)
        : sound_gate::visitor(control, self), at(control), me(self) {}
    std::uint32_t next(std::uint32_t seen, std::chrono::nanoseconds timeout) {
      const std::uint32_t gate = wait_for_change<model_atomics>(at.gate, seen, timeout);
      me.come_back();
      return gate;
    }
    basic_control_block<model_atomics>& at;
    basic_worker_slot<model_atomics>& me;
  };
};
TEST(broken_gate, whose_visitor_looks_before_it_counts_is_found) {
  EXPECT_EQ(gate_broken_by<looks_before_it_counts>(one_wakes).count(waited_for), 1u);
}

/// Announces that it counts by a store which may still be in its buffer when it looks at the gate.
struct counts_by_release : sound_gate {
  struct visitor : looks_before_it_counts::visitor {
    using looks_before_it_counts::visitor::visitor;
    std::uint32_t next(std::uint32_t seen, std::chrono::nanoseconds timeout) {
      wait_for_change<model_atomics>(at.gate, seen, timeout);
      if (me.state.load() == worker_state::left_out) me.state.store(worker_state::active, std::memory_order_release);
      return at.gate.load();
    }
  };
};
TEST(broken_gate, whose_visitor_counts_by_a_release_is_found_where_there_are_store_buffers) {
  EXPECT_EQ(gate_broken_by<counts_by_release>(one_wakes), std::set<std::string>{});
  EXPECT_EQ(gate_broken_by<counts_by_release>(one_wakes, true).count(waited_for), 1u);
}

/// Announces the end of the run and wakes all sleepers, but leaves the gate as it is.
struct dismisses_at_the_same_gate : sound_gate {
  struct keeper : sound_gate::keeper {
    keeper(basic_control_block<model_atomics>& control, std::span<basic_worker_slot<model_atomics>> slots)
        : sound_gate::keeper(control, slots), at(control) {}
    void dismiss() {
      at.stop.store(stop_request::leave);
      model_atomics::wake_all(at.gate);
    }
    basic_control_block<model_atomics>& at;
  };
};
TEST(broken_gate, that_stays_as_it_is_when_the_run_is_over_is_found) {
  EXPECT_EQ(gate_broken_by<dismisses_at_the_same_gate>(one_joins), std::set<std::string>{gate_wakes});
}

}  // namespace
