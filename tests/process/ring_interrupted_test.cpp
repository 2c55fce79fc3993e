// SPDX-License-Identifier: Apache-2.0
// An exchange on the ring never waits for a worker and never dies with one: if a holder of the token is killed or
// stopped, the others go on exchanging.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include <gtest/gtest.h>

#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/memory/segment.hpp>

#include "engines/attached_store.hpp"
#include "interrupted_exchanges.hpp"
#include "ring_hook.hpp"
#include "support/program_role.hpp"

namespace hogwild {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view ring_segment_kind = "ringing";
constexpr std::size_t block = 256;  // what an exchange moves between two looks at the token

struct ring_interrupted : test::interrupted_exchanges {
  static constexpr std::size_t replicas = workers;

  ring_interrupted()
      : interrupted_exchanges(
            param_store::create(unique_segment_name(),
                                // An exchange of all takes a fraction of a millisecond.
                                {.parameters = std::size_t{1} << (GetParam().update == update_kind::exact ? 14 : 16),
                                 .workers = replicas,
                                 .ring = replicas},
                                std::string(ring_segment_kind))) {}

  /// The work of a process: it adds 1 to each parameter of its replica and looks for the token, again and again.
  template <class Update>
  static void exchange_for_ever(const param_store& store, std::size_t number, Update) {
    const exchange_options ring{.workers = replicas, .replicas = replicas};
    const std::size_t n = store.shape().parameters;
    detail::ring_hook<float, Update> node(store, number, ring, {{.rows = n, .hot_first = false}});
    const param_store mine = store.replica_view(number);
    const test::exchanging_slot me{store.slots()[number]};
    while (!store.control().leaving()) {
      const std::uint32_t asked = test::question(store);
      const std::uint64_t before = me.slot.ring_exchanges.get();
      for (float& w : mine.parameters<float>()) w += 1.0f;  // nobody else adds here
      me.slot.rows.raise(1);
      me.inside() = 1;  // while it looks for the token or has it
      node.exchanged(0);
      me.inside() = 0;
      if (me.slot.ring_exchanges.get() != before) me.answer(asked);
      // Rows are trained between two exchanges, the victim's fewer: it should be hit within one.
      std::this_thread::sleep_for(number == victim ? 100us : 200us);
    }
  }

  std::uint64_t exchanges(std::size_t i) const override { return store.slots()[i].ring_exchanges.get(); }
  /// Waits until the victim has the token in hand.
  std::uint64_t strike() override {
    const ring_token& token = store.control().token;
    for (;; std::this_thread::yield()) {
      const auto seen = token.look();
      if (!ring_token::in_hand(seen) || ring_token::replica(seen) != victim) continue;
      made = exchanges(victim);
      if (!token.is_still(seen)) continue;
      const std::uint64_t now = test::now_ns();
      processes[victim]->kill(GetParam().signal);
      return now;
    }
  }
  bool was_inside() override { return slot(victim).inside() == 1 && exchanges(victim) == made; }

  std::uint64_t made = 0;  ///< exchanges of the victim when it was struck
};

TEST_P(ring_interrupted, leaves_the_others_exchanging) {
  expect_others_to_exchange();
  // The common model and each replica's later gains add up to all adds.
  let_all_leave();
  std::uint64_t added = 0;
  for (const worker_slot& each : store.slots()) added += each.rows.get();
  std::uint64_t columns_above = 0;
  double most_above = 0;
  for (std::size_t j = 0; j < store.shape().parameters; ++j) {
    float sum = store.parameters<float>()[j];
    for (std::size_t v = 0; v < replicas; ++v)
      sum += store.replica_view(v).parameters<float>()[j] - store.replica_view(v).beside<float>(0)[j];
    ASSERT_EQ(sum, std::floor(sum));
    if (GetParam().update == update_kind::exact) {
      ASSERT_GE(sum, static_cast<float>(added)) << "parameter " << j;
    }
    columns_above += sum > static_cast<float>(added + torn_adds);
    most_above = std::max(most_above, static_cast<double>(sum) - static_cast<double>(added));
  }
  // A process that dies with the token leaves a block of the exchange half done: its replica will send the gains that
  // it took over there to the others once more.
  RecordProperty("parameters_above", std::to_string(columns_above));
  RecordProperty("most_above", std::to_string(most_above));
  RecordProperty("deaths", std::to_string(deaths));
  RecordProperty("added", std::to_string(added));
  EXPECT_LE(columns_above, block * deaths);
}

INSTANTIATE_TEST_SUITE_P(every, ring_interrupted, test::every_interruption(), test::interruption_name);

}  // namespace
}  // namespace hogwild

const hogwild::test::program_role ring_interrupted_role([](int argc, char** argv) -> std::optional<int> {
  return hogwild::test::exchange_role(argc, argv, hogwild::ring_segment_kind,
                                      [](auto&&... with) { hogwild::ring_interrupted::exchange_for_ever(with...); });
});
