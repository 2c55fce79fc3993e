// SPDX-License-Identifier: Apache-2.0
// On a machine that hwloc makes up, with two memory nodes of four cores: a replica for each node. An executable of its
// own, since the topology is read once.
#include <cstdlib>

#include <gtest/gtest.h>

#include <hogwild/core/error.hpp>
#include <hogwild/core/topology.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/train.hpp>
#include <hogwildpp/ring_engine.hpp>

#include "support/toy_data.hpp"

using namespace hogwild;

namespace {

TEST(ring_of_memory_nodes, has_a_replica_for_each_node_but_no_more_than_workers) {
  ASSERT_EQ(numa_nodes(), 2u);
  EXPECT_EQ(ring_engine{}.layout(8).replicas, 2u);
  EXPECT_EQ(ring_engine{}.layout(1).replicas, 1u);
  EXPECT_EQ((ring_engine{.replicas = 3}.layout(8).replicas), 3u);
}

TEST(ring_of_memory_nodes, trains_with_two_replicas_where_nobody_says_how_many) {
  const auto toy = test::planted_classification({.rows = 5'000, .columns = 40});
  const train_result r = train(logistic{}, toy.csr(), ring_engine{.workers = 4, .team = team_kind::std, .pin = false},
                               {.epochs = 4, .step = {.initial = 0.1}});
  ASSERT_TRUE(r.ring);
  EXPECT_EQ(r.ring->replicas, 2u);
  EXPECT_EQ(r.workers, 4u);
}

}  // namespace

int main(int argc, char** argv) {
  ::setenv("HWLOC_SYNTHETIC", "numa:2 core:4 pu:1", 1);
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
