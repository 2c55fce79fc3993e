// SPDX-License-Identifier: Apache-2.0
// Replicas on the memory nodes of this machine. A node that it lacks stands for a system that refuses.
#include <algorithm>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/memory/private_memory.hpp>
#include <hogwild/detail/memory/segment.hpp>
#include <hogwild/detail/platform/topology.hpp>

using namespace hogwild;

namespace {

constexpr int no_such_node = 4000;
using nodes = std::vector<std::vector<int>>;

store_shape ring_of(std::uint64_t replicas, std::uint64_t parameters, std::uint64_t state_length = 0) {
  return {
      .parameters = parameters, .state_arrays = 1, .state_length = state_length, .workers = replicas, .ring = replicas};
}

param_store make(bool named, const store_shape& shape, const nodes& where) {
  return named ? param_store::create(unique_segment_name(), shape, "m", where) : param_store::in_memory(shape, where);
}

/// Expects that all arrays of the ring are zero, whole, and apart from each other.
void expect_sound(const param_store& store) {
  std::vector<std::span<float>> arrays{store.parameters<float>(), store.state<float>(0)};
  for (std::size_t v = 0; v < store.shape().ring; ++v) {
    const param_store replica = store.replica_view(v);
    for (const auto& array :
         {replica.parameters<float>(), replica.state<float>(0), replica.beside<float>(0), replica.beside<float>(1)}) {
      arrays.push_back(array);
    }
  }
  float mark = 0.0f;
  for (const auto& array : arrays) {
    EXPECT_TRUE(std::ranges::all_of(array, [](float x) { return x == 0.0f; }));
    std::ranges::fill(array, mark += 1.0f);
  }
  mark = 0.0f;
  for (const auto& array : arrays) {
    mark += 1.0f;
    EXPECT_TRUE(std::ranges::all_of(array, [&](float x) { return x == mark; }));
  }
}

/// In plain memory each replica begins on a cache line of its own, with room for all its arrays.
void expect_room(const param_store& store) {
  const store_shape& s = store.shape();
  const std::byte* end = nullptr;
  for (std::size_t v = 0; v < s.ring; ++v) {
    const std::span<std::byte> room = store.ring_memory_of(v);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(room.data()) % 128, 0u);
    EXPECT_EQ(static_cast<void*>(room.data()), store.replica_view(v).parameters<float>().data());
    EXPECT_GE(room.size(), 2 * (store_layout::parameter_stride(s) + s.state_arrays * store_layout::state_stride(s)));
    EXPECT_GE(room.data(), end);
    end = room.data() + room.size();
    EXPECT_LE(end, store.bytes().data() + store.bytes().size());
  }
}

struct replica_memory : testing::TestWithParam<bool> {};

TEST_P(replica_memory, goes_to_other_nodes_where_the_system_refuses_or_has_none) {
  for (const std::uint64_t parameters : {100u, 1'100'000u}) {
    for (const std::uint64_t state_length : {0u, 5000u}) {
      const param_store store = make(GetParam(), ring_of(3, parameters, state_length), {{0}, {0}, {no_such_node}});
      EXPECT_EQ(store.ring_memory(), placed_memory::touched);
      EXPECT_EQ(store.ring_nodes(), (nodes{{0}, {0}, {no_such_node}}));
      expect_room(store);
      expect_sound(store);
    }
  }
}

TEST_P(replica_memory, is_where_the_system_takes_it_on_one_node) {
  const param_store store = make(GetParam(), ring_of(2, 100), {{0}, {0}});
  EXPECT_EQ(store.ring_memory(), placed_memory::anywhere);
  expect_sound(store);
  EXPECT_EQ(make(GetParam(), ring_of(2, 100), {}).ring_memory(), placed_memory::anywhere);
}

TEST_P(replica_memory, is_bound_to_the_nodes_that_there_are) {
  if (numa_nodes() < 2) GTEST_SKIP() << "this machine has one memory node";
  const param_store store = make(GetParam(), ring_of(2, 100'000), {{0}, {1}});
  EXPECT_NE(store.ring_memory(), placed_memory::anywhere);
  expect_sound(store);
}

INSTANTIATE_TEST_SUITE_P(private_and_named, replica_memory, testing::Bool());

TEST(bind_memory, says_no_where_there_is_nothing_to_do_it_with) {
  private_memory memory(1 << 16);
  const std::span<std::byte> bytes{memory.base(), 1 << 16};
  const std::vector<int> none{}, absent{no_such_node}, negative{-1};
  EXPECT_FALSE(bind_memory(bytes, none));
  EXPECT_FALSE(bind_memory(bytes, absent));
  EXPECT_FALSE(bind_memory(bytes, negative));
  EXPECT_FALSE(bind_memory({}, std::vector<int>{0}));
}

// Binding may be refused, in a container for example; the memory stays usable.
TEST(bind_memory, leaves_usable_memory_either_way) {
  private_memory memory(1 << 16);
  const std::span<std::byte> bytes{memory.base(), 1 << 16};
  bind_memory(bytes, std::vector<int>{0});
  std::ranges::fill(bytes, std::byte{1});
  EXPECT_EQ(std::ranges::count(bytes, std::byte{1}), 1 << 16);
}

TEST(thread_binding, gives_the_thread_back) {
  const std::vector<int> before = usable_cpu_list();
  {
    const thread_binding last(std::vector{before.back()});
    EXPECT_EQ(usable_cpu_list(), std::vector{before.back()});
    const thread_binding nowhere(std::span<const int>{}), refused(std::vector<int>{1 << 20});
    EXPECT_EQ(usable_cpu_list(), std::vector{before.back()});
  }
  EXPECT_EQ(usable_cpu_list(), before);
}

TEST(numa_nodes, counts_those_with_allowed_cpus) {
  EXPECT_EQ(numa_nodes(cpus_of_node(0)), 1u);
  EXPECT_EQ(numa_nodes(std::vector<int>{}), 1u);
  EXPECT_EQ(numa_nodes(std::vector<int>{9000}), 1u);
  std::vector<int> all;
  for (std::size_t n = 0; n < numa_nodes(); ++n) {
    for (const int cpu : cpus_of_node(n)) all.push_back(cpu);
  }
  EXPECT_EQ(numa_nodes(all), numa_nodes());
}

}  // namespace
