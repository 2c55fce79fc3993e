// SPDX-License-Identifier: Apache-2.0
// The places of replicas and their workers, on machines that hwloc simulates.
#include "platform/memory_nodes.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <hogwild/detail/platform/topology.hpp>

using namespace hogwild;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::Field;
using ::testing::IsEmpty;

namespace {

std::vector<int> range(int first, int last) {
  std::vector<int> all(static_cast<std::size_t>(last - first));
  std::iota(all.begin(), all.end(), first);
  return all;
}

ring_placement place(const char* machine, std::size_t workers, std::size_t replicas, const std::vector<int>& allowed) {
  return detail::place_replicas_on(detail::read_memory_nodes(machine), workers, replicas, allowed);
}

constexpr const char* two_nodes = "numa:2 core:4 pu:2";  // CPUs 0-7 and 8-15; 2k and 2k + 1 share a core

auto on(std::vector<int> nodes, std::vector<int> cpus) {
  return AllOf(Field("nodes", &replica_place::nodes, nodes), Field("cpus", &replica_place::cpus, cpus));
}

TEST(replica_places, a_replica_for_each_node_has_whole_cores_before_second_hyper_threads) {
  const ring_placement few = place(two_nodes, 8, 2, range(0, 16));
  EXPECT_THAT(few.replicas, ElementsAre(on({0}, range(0, 8)), on({1}, range(8, 16))));
  EXPECT_THAT(few.worker_cpu, ElementsAre(0, 2, 4, 6, 8, 10, 12, 14));
  const ring_placement all = place(two_nodes, 16, 2, range(0, 16));
  EXPECT_THAT(all.worker_cpu, ElementsAre(0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15));
}

TEST(replica_places, an_odd_number_of_workers_stays_at_home) {
  const ring_placement found = place(two_nodes, 7, 2, range(0, 16));  // workers 0-3 train replica 0
  EXPECT_THAT(found.worker_cpu, ElementsAre(0, 2, 4, 6, 8, 10, 12));
  EXPECT_THAT(place(two_nodes, 3, 2, range(0, 16)).worker_cpu, ElementsAre(0, 2, 8));
}

TEST(replica_places, several_replicas_of_a_node_have_cores_of_their_own) {
  const ring_placement found = place(two_nodes, 8, 4, range(0, 16));
  EXPECT_THAT(found.replicas,
              ElementsAre(on({0}, range(0, 8)), on({0}, range(0, 8)), on({1}, range(8, 16)), on({1}, range(8, 16))));
  EXPECT_THAT(found.worker_cpu, ElementsAre(0, 2, 4, 6, 8, 10, 12, 14));
  // All CPUs: both hyper-threads of a core train the same replica.
  EXPECT_THAT(place(two_nodes, 16, 8, range(0, 16)).worker_cpu, ElementsAreArray(range(0, 16)));
  EXPECT_THAT(place(two_nodes, 16, 16, range(0, 16)).worker_cpu,
              ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
}

TEST(replica_places, within_a_node_follow_the_third_level_caches) {
  // Cores 0-3 and 4-7 share a cache each. Cut by cores alone, replica 1 of 3 would have some of both.
  const char* const two_caches = "numa:1 l3:2 core:4 pu:1";
  EXPECT_THAT(place(two_caches, 6, 3, range(0, 8)).worker_cpu, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(place(two_caches, 4, 2, range(0, 8)).worker_cpu, ElementsAre(0, 1, 4, 5));
  // If there are more workers than cores of a replica, other cores of the node come before second hyper-threads.
  EXPECT_THAT(place("numa:1 l3:2 core:4 pu:2", 8, 3, range(0, 16)).worker_cpu, ElementsAre(0, 2, 12, 4, 6, 14, 8, 10));
  const ring_placement four = place("numa:2 l3:4 core:2 pu:1", 8, 4, range(0, 16));
  EXPECT_THAT(four.worker_cpu, ElementsAre(0, 1, 4, 5, 8, 9, 12, 13));
}

TEST(replica_places, fewer_replicas_than_nodes_lie_in_several) {
  const ring_placement found = place("numa:4 core:2 pu:1", 8, 2, range(0, 8));
  EXPECT_THAT(found.replicas, ElementsAre(on({0, 1}, range(0, 4)), on({2, 3}, range(4, 8))));
  EXPECT_THAT(found.worker_cpu, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  const ring_placement uneven = place("numa:3 core:2 pu:1", 6, 2, range(0, 6));
  EXPECT_THAT(uneven.replicas, ElementsAre(on({0}, {0, 1}), on({1, 2}, range(2, 6))));
  // The third worker of replica 0 has far memory, but a CPU for itself.
  EXPECT_THAT(uneven.worker_cpu, ElementsAre(0, 1, 5, 2, 3, 4));
}

TEST(replica_places, one_node_is_for_all) {
  const ring_placement found = place("numa:1 core:4 pu:1", 4, 3, range(0, 4));
  const auto there = on({0}, range(0, 4));
  EXPECT_THAT(found.replicas, ElementsAre(there, there, there));
  EXPECT_THAT(found.worker_cpu, ElementsAre(0, 3, 1, 2));
}

TEST(replica_places, only_nodes_with_allowed_cpus_count) {
  const ring_placement found = place("numa:3 core:2 pu:1", 4, 2, {0, 1, 4, 5});
  EXPECT_THAT(found.replicas, ElementsAre(on({0}, {0, 1}), on({2}, {4, 5})));
  EXPECT_THAT(found.worker_cpu, ElementsAre(0, 1, 4, 5));
  EXPECT_THAT(place(two_nodes, 2, 2, {9, 12}).replicas, ElementsAre(on({1}, {9, 12}), on({1}, {9, 12})));
  EXPECT_THAT(place(two_nodes, 4, 2, {1, 8, 9, 10}).worker_cpu, ElementsAre(1, 9, 8, 10));
}

TEST(replica_places, more_workers_than_cpus_have_all_cpus_of_their_nodes) {
  const ring_placement found = place(two_nodes, 17, 2, range(0, 16));
  EXPECT_THAT(found.worker_cpu, IsEmpty());
  EXPECT_THAT(found.cpus_of(8), ElementsAreArray(range(0, 8)));
  EXPECT_THAT(found.cpus_of(9), ElementsAreArray(range(8, 16)));
}

TEST(replica_places, late_joiners_have_all_cpus_of_their_replica_too) {
  const ring_placement found = place(two_nodes, 4, 2, range(0, 16));
  EXPECT_THAT(found.cpus_of(1), ElementsAre(2));
  EXPECT_THAT(found.cpus_of(4), ElementsAreArray(range(0, 8)));
  EXPECT_THAT(found.cpus_of(5), ElementsAreArray(range(8, 16)));
}

TEST(replica_places, unknown_cpus_are_used_as_they_come) {
  const ring_placement found = place(two_nodes, 2, 2, {91, 90});
  EXPECT_THAT(found.replicas, ElementsAre(on({}, {90, 91}), on({}, {90, 91})));
  EXPECT_THAT(found.worker_cpu, ElementsAre(91, 90));
  EXPECT_THAT(place(two_nodes, 2, 2, {}).replicas, ElementsAre(on({}, {}), on({}, {})));
  EXPECT_THAT(place(two_nodes, 2, 2, {}).cpus_of(1), IsEmpty());
}

TEST(replica_places, a_machine_that_nothing_is_known_of_is_one_node) {
  const auto nodes = detail::read_memory_nodes("no machine");
  ASSERT_EQ(nodes.size(), 1u);
  EXPECT_EQ(nodes.front().cpus, usable_cpu_list());
  EXPECT_EQ(detail::cores_of(nodes.front()).size(), usable_cpus());
}

TEST(replica_places, of_this_machine_are_near_cpus_that_are_allowed) {
  const std::vector<int> unknown{9000, 9001};
  EXPECT_THAT(place_replicas(2, 2, unknown).worker_cpu, ElementsAre(9000, 9001));
}

TEST(nodes_text, names_each_replica_once_or_all_at_once) {
  using nodes = std::vector<std::vector<int>>;
  EXPECT_EQ(nodes_text(nodes{{0}, {0}, {1}, {1}}), "memory nodes 0, 0, 1, 1");
  EXPECT_EQ(nodes_text(nodes{{0}, {0}}), "memory node 0");
  EXPECT_EQ(nodes_text(nodes{{0, 1}, {2, 3}}), "memory nodes 0+1, 2+3");
  EXPECT_EQ(nodes_text(nodes{{0, 1}, {0, 1}}), "memory nodes 0+1");
}

// On every machine: no two workers share a CPU, each has an allowed one, and replicas lie on nodes with allowed CPUs.
// If all nodes are alike and replicas divide evenly, every worker is on its replica's node.
RC_GTEST_PROP(replica_places, hold_on_any_machine, ()) {
  const auto up_to = [](int n) { return *rc::gen::inRange(1, n + 1); };
  const int nodes = up_to(4), caches = up_to(3), cores = up_to(4), threads = up_to(2);
  const std::string machine = "numa:" + std::to_string(nodes) + " l3:" + std::to_string(caches) +
                              " core:" + std::to_string(cores) + " pu:" + std::to_string(threads);
  const int per_node = caches * cores * threads, cpus = nodes * per_node;
  std::vector<int> allowed = range(0, cpus);
  const bool whole = *rc::gen::arbitrary<bool>();
  if (!whole) {
    std::erase_if(allowed, [](int) { return *rc::gen::arbitrary<bool>(); });
    RC_PRE(!allowed.empty());
  }
  const auto workers = static_cast<std::size_t>(up_to(static_cast<int>(allowed.size())));
  const auto replicas = static_cast<std::size_t>(up_to(static_cast<int>(workers)));
  const ring_placement found = place(machine.c_str(), workers, replicas, allowed);
  RC_ASSERT(found.replicas.size() == replicas);
  RC_ASSERT(found.worker_cpu.size() == workers);
  const std::set<int> taken(found.worker_cpu.begin(), found.worker_cpu.end());
  RC_ASSERT(taken.size() == workers);
  RC_ASSERT(std::ranges::includes(allowed, taken));
  const auto node_of = [&](int cpu) { return cpu / per_node; };
  for (const replica_place& r : found.replicas) {
    RC_ASSERT(!r.nodes.empty());
    for (const int n : r.nodes) {
      RC_ASSERT(std::ranges::any_of(allowed, [&](int cpu) { return node_of(cpu) == n; }));
    }
  }
  const auto n = static_cast<std::size_t>(nodes);
  const bool even = (replicas % n == 0 || n % replicas == 0) && workers % std::max(replicas, n) == 0;
  if (!whole || !even) return;
  for (std::size_t w = 0; w < workers; ++w) {
    const replica_place& home = found.replicas[replica_of_slot(w, workers, replicas)];
    RC_ASSERT(std::ranges::find(home.nodes, node_of(found.worker_cpu[w])) != home.nodes.end());
  }
}

}  // namespace
