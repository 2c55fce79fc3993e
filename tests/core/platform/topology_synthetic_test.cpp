// SPDX-License-Identifier: Apache-2.0
// A machine that hwloc simulates, the same everywhere: two memory nodes of two cores of two hyper-threads. An
// executable of its own, since the topology is read once.
#include <cstdlib>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/platform/topology.hpp>

using namespace hogwild;
using ::testing::ElementsAre;

namespace {

const std::vector<int> everything{0, 1, 2, 3, 4, 5, 6, 7};

TEST(synthetic_topology, has_its_nodes) {
  ASSERT_EQ(numa_nodes(), 2u);
  EXPECT_THAT(cpus_of_node(0), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(cpus_of_node(1), ElementsAre(4, 5, 6, 7));
}

TEST(synthetic_topology, workers_take_whole_cores_first_node_by_node) {
  EXPECT_THAT(worker_cpus(8, everything), ElementsAre(0, 2, 4, 6, 1, 3, 5, 7));
  EXPECT_THAT(worker_cpus(3, everything), ElementsAre(0, 2, 4));
  EXPECT_THAT(worker_cpus(10, everything), ElementsAre(0, 2, 4, 6, 1, 3, 5, 7, 0, 2));
}

TEST(synthetic_topology, workers_stay_within_what_is_allowed) {
  const std::vector<int> some{1, 4, 5, 6};
  EXPECT_THAT(worker_cpus(4, some), ElementsAre(1, 4, 6, 5));
}

}  // namespace

int main(int argc, char** argv) {
  ::setenv("HWLOC_SYNTHETIC", "node:2 core:2 pu:2", 1);
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
