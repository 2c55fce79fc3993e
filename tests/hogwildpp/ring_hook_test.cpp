// SPDX-License-Identifier: Apache-2.0
// The exchange hook of one worker on the ring, step by step: the turns, the columns of an exchange, and its effect on
// different replicas that are not trained.
#include "ring_hook.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/toy_data.hpp"

using namespace hogwild;

namespace {

constexpr std::size_t columns = 2000;

/// A ring of replicas with one worker each; this thread plays all of them.
struct ring_of {
  explicit ring_of(std::size_t replicas, ring_rule rule = ring_rule::deltas, std::size_t state_arrays = 0,
                   parameter_group group = {.rows = columns})
      : options{.workers = replicas, .replicas = static_cast<std::uint32_t>(replicas), .rule = rule},
        store(param_store::in_memory(
            {.parameters = columns, .state_arrays = state_arrays, .workers = replicas, .ring = replicas})) {
    store.control().round.step = 1.0;
    for (worker_slot& slot : store.slots()) slot.state = worker_state::active;
    make_nodes(group);
  }
  /// Makes the nodes anew, after the options have changed.
  void make_nodes(const parameter_group& group = {.rows = columns}) {
    nodes.clear();
    for (std::size_t v = 0; v < options.replicas; ++v) {
      nodes.push_back(std::make_unique<detail::ring_hook<float, update::exact>>(store, v, options,
                                                                                std::vector<parameter_group>{group}));
    }
  }
  std::size_t size() const { return nodes.size(); }
  /// Makes the calls after the workers of all replicas except `resting` trained a row and worker v exchanged.
  void exchange(std::size_t v, std::size_t resting = static_cast<std::size_t>(-1)) {
    for (std::size_t i = 0; i < size(); ++i) {
      if (i != resting) store.slots()[i].rows.raise(1);
    }
    nodes[v]->exchanged(0);
  }
  std::span<float> own(std::size_t v) const { return store.replica_view(v).parameters<float>(); }
  std::size_t turn_of() const { return ring_token::replica(store.control().token.look()); }
  std::uint64_t exchanges(std::size_t v) const { return store.slots()[v].ring_exchanges.get(); }

  /// Gives each replica other values, small multiples of 1/64: sums and halves of them are exact for a while.
  void make_different() {
    for (std::size_t v = 0; v < size(); ++v) {
      std::ranges::transform(test::noise_vector(columns, v + 1, -64.0, 64.0), own(v).begin(),
                             [](float x) { return std::round(x) / 64.0f; });
    }
  }
  double sum(std::size_t j) const {
    double all = 0.0;
    for (std::size_t v = 0; v < size(); ++v) all += static_cast<double>(own(v)[j]);
    return all;
  }
  double spread(std::size_t j) const {
    float low = own(0)[j], high = low;
    for (std::size_t v = 1; v < size(); ++v) low = std::min(low, own(v)[j]), high = std::max(high, own(v)[j]);
    return static_cast<double>(high - low);
  }

  exchange_options options;
  param_store store;
  std::vector<std::unique_ptr<detail::ring_hook<float, update::exact>>> nodes;
};

struct ring_hook : testing::TestWithParam<std::size_t> {
  const std::size_t replicas = GetParam();
};

TEST_P(ring_hook, exchanges_when_the_token_names_its_replica_and_hands_it_to_the_next) {
  ring_of ring(replicas);
  for (std::size_t turn = 0; turn < 3 * replicas; ++turn) {
    ASSERT_EQ(ring.turn_of(), turn % replicas);
    ring.exchange((turn + 1) % replicas);  // not its turn
    ASSERT_EQ(ring.turn_of(), turn % replicas);
    ring.exchange(turn % replicas);
  }
  for (std::size_t v = 0; v < replicas; ++v) {
    EXPECT_EQ(ring.exchanges(v), 3u);
    EXPECT_EQ(ring.store.slots()[v].ring_waits.get(), 3u);
    EXPECT_EQ(ring.store.slots()[v].ring_taken_over.get(), 0u);
  }
}

TEST_P(ring_hook, leaves_out_replicas_that_nobody_trains) {
  ring_of ring(replicas);
  ring.exchange(0, 1);
  EXPECT_EQ(ring.turn_of(), 2u % replicas);
}

TEST_P(ring_hook, that_averages_leaves_replicas_alone_that_nobody_trains) {
  for (const ring_rule rule : {ring_rule::average, ring_rule::released}) {
    ring_of ring(replicas, rule);
    ring.make_different();
    const std::vector<float> before(ring.own(0).begin(), ring.own(0).end());
    for (int i = 0; i < 20; ++i) ring.nodes[0]->exchanged(0);
    EXPECT_TRUE(std::ranges::equal(ring.own(0), before));
    ring.exchange(0);
    EXPECT_FALSE(std::ranges::equal(ring.own(0), before));
  }
}

TEST_P(ring_hook, by_the_released_rule_exchanges_a_prefix_or_all_columns_and_what_is_above_the_tolerance) {
  const auto changed_by_an_exchange = [this](const released_options& released) {
    ring_of ring(replicas, ring_rule::released);
    ring.options.released = released;
    ring.store.control().round.l2.scale = 1.0;
    ring.make_nodes();
    std::ranges::fill(ring.own(0), 0.5f);  // gains of 0.5 in each column
    ring.exchange(0);
    const std::span<float> next = ring.own(1 % replicas);
    return static_cast<std::size_t>(std::ranges::count_if(next, [](float x) { return x != 0.0f; }));
  };
  EXPECT_EQ(changed_by_an_exchange({}), 512u);
  EXPECT_EQ(changed_by_an_exchange({.dense = 1}), columns);
  EXPECT_EQ(changed_by_an_exchange({.tolerance = 0.6, .dense = 1}), 0u);
}

TEST_P(ring_hook, takes_over_a_token_that_stands_still_and_only_then) {
  ring_of ring(replicas);
  const std::size_t last = replicas - 1;
  std::size_t looks = 0;
  for (; ring.exchanges(last) == 0 && looks < 100; ++looks) ring.nodes[last]->exchanged(0);
  EXPECT_EQ(looks, 2u);
  EXPECT_EQ(ring.store.slots()[last].ring_taken_over.get(), 1u);
  // Nobody may take over a token that moves on, however long it is away.
  ring_of lively(replicas);
  for (std::size_t i = 0; i < 50; ++i) {
    lively.exchange(last);
    if (lively.turn_of() != last) lively.exchange(lively.turn_of());
  }
  EXPECT_EQ(lively.store.slots()[last].ring_taken_over.get(), 0u);
}

TEST_P(ring_hook, covers_a_short_prefix_each_time_and_all_columns_in_time) {
  ring_of ring(replicas);
  const std::size_t places[] = {0, 511, 512, 1023, 1024, columns - 1};
  for (const std::size_t j : places) ring.own(0)[j] = 1.0f;
  std::vector<std::size_t> sent_in(columns, 0);
  for (std::size_t round = 1; round <= 4; ++round) {
    for (std::size_t v = 0; v < replicas; ++v) ring.exchange(v);
    for (const std::size_t j : places) {
      if (sent_in[j] == 0 && ring.store.parameters<float>()[j] == 1.0f) sent_in[j] = round;
    }
    // In one round of the token all replicas exchange the same positions, so what one sent then all others have.
    for (std::size_t v = 0; v < replicas; ++v) {
      for (const std::size_t j : places) ASSERT_EQ(ring.own(v)[j], sent_in[j] > 0 || v == 0 ? 1.0f : 0.0f) << j;
    }
  }
  EXPECT_EQ((std::vector{sent_in[0], sent_in[511]}), (std::vector<std::size_t>{1, 1}));
  EXPECT_EQ((std::vector{sent_in[512], sent_in[1023]}), (std::vector<std::size_t>{2, 2}));
  EXPECT_EQ((std::vector{sent_in[1024], sent_in[columns - 1]}), (std::vector<std::size_t>{4, 4}));
  // 512, 1024, 512 and all, of 4 bytes, read and written, by each.
  for (const worker_slot& slot : ring.store.slots()) {
    EXPECT_EQ(slot.ring_bytes.get(), (512 + 1024 + 512 + columns) * 4 * 2);
  }
}

TEST_P(ring_hook, of_groups_without_an_order_covers_all_each_time) {
  ring_of ring(replicas, ring_rule::deltas, 0, {.rows = columns / 4, .width = 4, .hot_first = false});
  ring.own(0)[columns - 1] = 1.0f;
  ring.nodes[0]->exchanged(0);
  EXPECT_EQ(ring.store.parameters<float>()[columns - 1], 1.0f);
}

TEST_P(ring_hook, makes_all_replicas_the_sum_of_what_each_gained) {
  ring_of ring(replicas, ring_rule::deltas, 1, {.rows = columns, .hot_first = false});
  ring.make_different();  // from bases of 0: each has only its gains
  std::vector<float> sums(columns);
  for (std::size_t j = 0; j < columns; ++j) sums[j] = static_cast<float>(ring.sum(j));
  for (std::size_t v = 0; v < replicas; ++v) ring.store.replica_view(v).state<float>(0)[7] = 1.0f;
  for (std::size_t turn = 0; turn < 2 * replicas - 1; ++turn) ring.exchange(turn % replicas);
  for (std::size_t v = 0; v < replicas; ++v) {
    EXPECT_TRUE(std::ranges::equal(ring.own(v), sums)) << "replica " << v;
    EXPECT_EQ(ring.store.replica_view(v).state<float>(0)[7], static_cast<float>(replicas));
  }
  EXPECT_TRUE(std::ranges::equal(ring.store.parameters<float>(), sums));
}

TEST_P(ring_hook, that_averages_keeps_the_mean_and_brings_replicas_together) {
  ring_of ring(replicas, ring_rule::average, 0, {.rows = columns, .hot_first = false});
  ring.make_different();
  std::vector<double> sums(columns), widest(columns);
  for (std::size_t j = 0; j < columns; ++j) sums[j] = ring.sum(j), widest[j] = ring.spread(j);
  for (std::size_t turn = 0; turn < 40 * replicas; ++turn) {
    ring.exchange(turn % replicas);
    for (std::size_t j = 0; j < columns; j += 37) {
      // Values are at most 1: an exchange rounds two of them by at most 2^-25 each.
      ASSERT_NEAR(ring.sum(j), sums[j], static_cast<double>(turn + 1) * std::ldexp(1.0, -24)) << j;
      ASSERT_LE(ring.spread(j), widest[j] + std::ldexp(1.0, -23)) << j;
      widest[j] = ring.spread(j);
    }
  }
  for (std::size_t j = 0; j < columns; ++j) ASSERT_LT(ring.spread(j), 1e-5) << j;
  // Without training only the mean is exchanged, and the common model, which takes no part, is unchanged.
  EXPECT_TRUE(std::ranges::all_of(ring.store.parameters<float>(), [](float w) { return w == 0.0f; }));
}

TEST_P(ring_hook, whose_worker_was_left_out_leaves_the_token_and_the_rest_alone) {
  ring_of ring(replicas);
  ring.own(0)[0] = 1.0f;
  ring.store.slots()[0].state = worker_state::left_out;
  ring.nodes[0]->exchanged(0);
  EXPECT_EQ(ring.store.parameters<float>()[0], 0.0f);
  EXPECT_EQ(ring.exchanges(0), 0u);
  // The token that it holds becomes overdue.
  for (int i = 0; i < 10 && ring.exchanges(1) == 0; ++i) ring.nodes[1]->exchanged(0);
  EXPECT_EQ(ring.store.slots()[1].ring_taken_over.get(), 1u);
}

INSTANTIATE_TEST_SUITE_P(of, ring_hook, testing::Values(2u, 3u, 4u, 8u));

TEST(replica_of, workers_are_dealt_out_evenly_neighbours_together_and_guests_in_turn) {
  for (std::size_t replicas = 1; replicas <= 9; ++replicas) {
    for (std::size_t workers = replicas; workers <= 20; ++workers) {
      const exchange_options ring{.workers = workers, .replicas = static_cast<std::uint32_t>(replicas)};
      std::vector<std::size_t> size(replicas, 0);
      for (std::size_t s = 0; s < workers; ++s) {
        ++size[detail::replica_of(s, ring)];
        if (s > 0) {
          EXPECT_GE(detail::replica_of(s, ring), detail::replica_of(s - 1, ring));
        }
      }
      const auto [least, most] = std::ranges::minmax(size);
      EXPECT_LE(most - least, 1u) << workers << " workers, " << replicas << " replicas";
      EXPECT_LT(detail::replica_of(workers + 3, ring), replicas);
    }
  }
}

}  // namespace
