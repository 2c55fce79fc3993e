// SPDX-License-Identifier: Apache-2.0
// Workers with replicas of their own exchange with the common model in turn, and none waits for long.
#include "ring_hook.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/control/telemetry.hpp>
#include <hogwild/detail/memory/private_memory.hpp>
#include <hogwild/detail/sharing/replica.hpp>

using namespace hogwild;

namespace {

constexpr std::size_t dimension = 64, period = 32;

/// A ring of replicas, all of whose workers this thread plays: a row adds 1 to every parameter of the replica.
struct own_replica_ring {
  struct worker {
    detail::own_replica_hook node;
    worker_memory memory;
    replica<float> mine;
    race_probe probe;
    std::uint64_t rows = 0;

    worker(const param_store& store, std::size_t slot, const exchange_options& ring)
        : node(store, slot, ring),
          memory(store.ring_memory_of(slot)),
          mine(store, slot, memory, {{.rows = dimension}}, dimension, dimension, update_kind::exact, &node),
          probe(store.slots(), slot, false) {}
  };

  explicit own_replica_ring(std::size_t replicas)
      : options{.workers = replicas, .replicas = static_cast<std::uint32_t>(replicas)},
        store(param_store::in_memory({.parameters = dimension, .workers = replicas, .ring = replicas})) {
    for (worker_slot& slot : store.slots()) slot.state = worker_state::active;
    for (std::size_t v = 0; v < replicas; ++v) {
      workers.push_back(std::make_unique<worker>(store, v, options));
      workers.back()->mine.begin_round({.exchange_rows = period});
    }
    store.control().token.open(1);
  }
  /// The worker trains a row, and exchanges if it is time and its turn. Returns whether it exchanged.
  bool train(std::size_t v) {
    worker& w = *workers[v];
    for (float& x : w.mine.values(0)) x += 1.0f;
    ++w.rows;
    store.slots()[v].rows.raise(1);
    const std::uint64_t before = exchanges(v);
    w.mine.exchange(1, w.probe);
    return exchanges(v) != before;
  }
  std::uint64_t exchanges(std::size_t v) const { return store.slots()[v].ring_exchanges.get(); }
  std::uint64_t taken_over() const {
    std::uint64_t all = 0;
    for (const worker_slot& slot : store.slots()) all += slot.ring_taken_over.get();
    return all;
  }
  double sum_of_rows() const {
    double all = 0.0;
    for (const auto& w : workers) all += static_cast<double>(w->rows);
    return all;
  }

  exchange_options options;
  param_store store;
  std::vector<std::unique_ptr<worker>> workers;
};

struct own_replica_hook : testing::TestWithParam<std::size_t> {
  const std::size_t replicas = GetParam();
};

TEST_P(own_replica_hook, equal_workers_exchange_once_a_period_in_the_order_of_the_ring) {
  own_replica_ring ring(replicas);
  std::vector<std::size_t> order;
  for (std::size_t row = 0; row < 20 * period; ++row) {
    for (std::size_t v = 0; v < replicas; ++v) {
      if (ring.train(v) && row >= 4 * period) order.push_back(v);
    }
  }
  // After the first few, workers come when the token does: at most two rows late, a sixteenth of the period.
  EXPECT_GE(order.size(), replicas * (16 * period / (period + 2)));
  for (std::size_t i = 1; i < order.size(); ++i) ASSERT_EQ(order[i], (order[i - 1] + 1) % replicas) << i;
}

TEST_P(own_replica_hook, nobody_waits_longer_than_half_a_period_for_a_worker_that_was_put_aside) {
  own_replica_ring ring(replicas);
  for (std::size_t row = 0; row < 4 * period; ++row) {
    for (std::size_t v = 0; v < replicas; ++v) ring.train(v);
  }
  while (ring_token::replica(ring.store.control().token.look()) != 0) {
    for (std::size_t v = 1; v < replicas; ++v) ring.train(v);
  }
  const std::uint64_t before = ring.taken_over();
  std::vector<std::size_t> since(replicas, 0), longest(replicas, 0);
  for (std::size_t row = 0; row < 10 * period; ++row) {
    for (std::size_t v = 1; v < replicas; ++v) {
      ++since[v];
      longest[v] = std::max(longest[v], since[v]);
      if (ring.train(v)) since[v] = 0;
    }
  }
  EXPECT_GE(ring.taken_over(), before + 1);
  // The look at which the token is first seen to stand, half a period of looks, and everybody else's turn.
  for (std::size_t v = 1; v < replicas; ++v) EXPECT_LE(longest[v], period + period / 2 + 2 * replicas) << v;
}

TEST_P(own_replica_hook, at_the_end_of_a_round_the_common_model_is_the_sum_of_all_gains) {
  own_replica_ring ring(replicas);
  for (std::size_t row = 0; row < 3 * period; ++row) {
    for (std::size_t v = 0; v < replicas; ++v) {
      if (row % (v + 1) == 0) ring.train(v);  // of different speeds
    }
  }
  for (const auto& w : ring.workers) w->mine.end_round();
  for (const float x : ring.store.parameters<float>()) ASSERT_EQ(x, ring.sum_of_rows());
}

TEST_P(own_replica_hook, trains_in_the_memory_of_its_replica_and_counts_what_it_moves) {
  own_replica_ring ring(replicas);
  const std::size_t last = replicas - 1;
  while (!ring.train(last)) {
  }
  const std::span<std::byte> room = ring.store.ring_memory_of(last);
  const auto* first = reinterpret_cast<const std::byte*>(ring.workers[last]->mine.values(0).data());
  EXPECT_TRUE(first >= room.data() && first + dimension * sizeof(float) <= room.data() + room.size());
  EXPECT_EQ(ring.store.slots()[last].ring_bytes.get(), 2 * dimension * sizeof(float));
}

INSTANTIATE_TEST_SUITE_P(of, own_replica_hook, testing::Values(2u, 3u, 4u, 8u));

}  // namespace
