// SPDX-License-Identifier: Apache-2.0
// An exchange never waits for a worker and never dies with one: if a worker is killed or stopped in the middle of an
// exchange, the others go on exchanging.
#include <atomic>
#include <chrono>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include <gtest/gtest.h>

#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/memory/private_memory.hpp>
#include <hogwild/detail/memory/segment.hpp>
#include <hogwild/detail/sharing/replica.hpp>

#include "engines/attached_store.hpp"
#include "interrupted_exchanges.hpp"
#include "support/program_role.hpp"

namespace hogwild {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t parameters = 1 << 16;  // an exchange of all takes tens of microseconds
constexpr std::string_view segment_kind = "exchanging";

struct exchange_interrupted : test::interrupted_exchanges {
  exchange_interrupted()
      : interrupted_exchanges(param_store::create(unique_segment_name(), {.parameters = parameters, .workers = workers},
                                                  std::string(segment_kind))) {}

  static std::atomic<std::uint64_t>& finished(worker_slot& slot) { return slot.rows.value; }

  /// The work of a process: it adds 1 to each parameter and exchanges all, again and again.
  template <class Update>
  static void exchange_for_ever(const param_store& store, std::size_t number, Update) {
    worker_memory memory;
    replica<float> mine(store, number, memory, {{.rows = parameters, .hot_first = false}}, static_cast<std::size_t>(-1),
                        parameters, Update::kind);
    race_probe probe(store.slots(), number, false);
    const test::exchanging_slot me{store.slots()[number]};
    mine.begin_round({.exchange_rows = 1});
    while (!store.control().leaving()) {
      const std::uint32_t asked = test::question(store);
      for (float& w : mine.values(0)) w += 1.0f;
      me.inside() = 1;
      mine.exchange(mine.rows_to_exchange(), probe);
      me.inside() = 0;
      ++finished(me.slot);
      me.answer(asked);
      // The others train rows between two exchanges; the victim should be hit within one.
      if (number != victim) std::this_thread::sleep_for(50us);
    }
  }

  std::uint64_t exchanges(std::size_t i) const override { return finished(store.slots()[i]); }
  std::uint64_t strike() override {
    while (slot(victim).inside() == 0) std::this_thread::yield();
    const std::uint64_t sent = test::now_ns();
    processes[victim]->kill(GetParam().signal);
    return sent;
  }
  bool was_inside() override { return slot(victim).inside() == 1; }
};

TEST_P(exchange_interrupted, leaves_the_others_exchanging) {
  expect_others_to_exchange();
  // Every worker added 1 to each parameter in each exchange. A worker that died in one had sent a part of it.
  let_all_leave();
  std::uint64_t sent = 0;
  for (worker_slot& of : store.slots()) sent += finished(of);
  for (const float w : store.parameters<float>()) {
    ASSERT_EQ(w, std::floor(w));
    ASSERT_LE(w, static_cast<float>(sent + deaths));
    if (GetParam().update == update_kind::exact) {
      ASSERT_GE(w, static_cast<float>(sent));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(every, exchange_interrupted, test::every_interruption(), test::interruption_name);

}  // namespace
}  // namespace hogwild

const hogwild::test::program_role exchange_interrupted_role([](int argc, char** argv) -> std::optional<int> {
  return hogwild::test::exchange_role(argc, argv, hogwild::segment_kind, [](auto&&... with) {
    hogwild::exchange_interrupted::exchange_for_ever(with...);
  });
});
