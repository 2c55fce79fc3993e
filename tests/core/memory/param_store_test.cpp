// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/memory/param_store.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/error.hpp>

#include "support/refusals.hpp"

using namespace hogwild;
using testing::AllOf;
using testing::HasSubstr;

namespace {

constexpr store_shape shape{.parameters = 5'000,
                            .scalar_bytes = 4,
                            .state_arrays = 2,
                            .workers = 3,
                            .shards = 2,
                            .chunks = 77,
                            .stripes = 16,
                            .setup_bytes = 100,
                            .replicas = 3};

TEST(param_store, says_what_to_do_where_there_is_not_so_much_memory) {
  EXPECT_THAT(test::message_of<resource_error>([] { param_store::in_memory({.parameters = std::size_t{1} << 44}); }),
              AllOf(HasSubstr("17592186044416 parameters"), HasSubstr("fewer columns, classes or factors")));
}

TEST(param_store, lies_in_memory_of_a_source_and_lets_go_of_it) {
  std::shared_ptr<std::byte> given;
  {
    param_store store = param_store::in_memory(shape, [&](std::size_t bytes) {
      given = {new (std::align_val_t{4096}) std::byte[bytes]{},
               [](std::byte* memory) { ::operator delete[](memory, std::align_val_t{4096}); }};
      return given;
    });
    EXPECT_EQ(store.shape(), shape);
    EXPECT_EQ(store.bytes().data(), given.get());
    const param_store moved = std::move(store);
    moved.state<float>(1)[4'999] = 3.0f;
    EXPECT_EQ(moved.state<float>(1)[4'999], 3.0f);
    EXPECT_EQ(moved.parameters<float>()[0], 0.0f);
    EXPECT_EQ(given.use_count(), 2);
  }
  EXPECT_EQ(given.use_count(), 1);
}

TEST(param_store, private_memory_has_the_shape_asked_for_and_is_zero) {
  const param_store store = param_store::in_memory(shape);
  EXPECT_EQ(store.shape(), shape);
  EXPECT_EQ(store.name(), "");
  EXPECT_EQ(store.parameters<float>().size(), 5'000u);
  EXPECT_EQ(store.state<float>(1).size(), 5'000u);
  EXPECT_EQ(store.slots().size(), 3u);
  EXPECT_EQ(store.counters().size(), 2u);
  EXPECT_EQ(store.done().size(), 77u);
  EXPECT_EQ(store.redo().size(), 77u);
  EXPECT_EQ(store.stripes().size(), 16u);
  EXPECT_EQ(store.setup().size(), 100u);
  EXPECT_TRUE(std::ranges::all_of(store.parameters<float>(), [](float w) { return w == 0.0f; }));
  EXPECT_TRUE(std::ranges::all_of(store.done(), [](const auto& round) { return round.get() == 0; }));
  EXPECT_FALSE(store.control().stopping());
}

TEST(param_store, arrays_do_not_overlap_and_begin_on_cache_lines) {
  const param_store store = param_store::in_memory(shape);
  std::ranges::fill(store.parameters<float>(), 1.0f);
  std::ranges::fill(store.state<float>(0), 2.0f);
  std::ranges::fill(store.state<float>(1), 3.0f);
  EXPECT_EQ(store.parameters<float>().back(), 1.0f);
  EXPECT_EQ(store.state<float>(0).back(), 2.0f);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(store.parameters<float>().data()) % 64, 0u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(store.state<float>(1).data()) % 64, 0u);
  EXPECT_EQ(store.shape(), shape);
}

TEST(param_store, replicas_are_arrays_of_their_own_for_parameters_and_state) {
  const param_store store = param_store::in_memory(shape);
  float next = 1.0f;
  for (std::size_t v = 0; v < 3; ++v) {
    for (std::size_t k = 0; k < 3; ++k) std::ranges::fill(store.replica<float>(v, k), next++);
  }
  next = 1.0f;
  for (std::size_t v = 0; v < 3; ++v) {
    for (std::size_t k = 0; k < 3; ++k, ++next) {
      const auto array = store.replica<float>(v, k);
      EXPECT_EQ(array.size(), 5'000u);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.data()) % 128, 0u);
      EXPECT_TRUE(std::ranges::all_of(array, [next](float w) { return w == next; }));
    }
  }
  EXPECT_TRUE(std::ranges::all_of(store.parameters<float>(), [](float w) { return w == 0.0f; }));
}

TEST(param_store, the_state_of_training_is_parameters_and_optimiser_state_and_can_be_put_back) {
  const param_store store = param_store::in_memory(shape);
  store.parameters<float>().back() = 1.0f;
  store.state<float>(1).back() = 2.0f;
  const auto state = store.state_of_training();
  const std::vector<std::byte> before(state.begin(), state.end());
  store.parameters<float>().back() = 3.0f;
  store.state<float>(1).back() = 4.0f;
  store.replica<float>(0, 0).front() = 5.0f;
  std::ranges::copy(before, state.begin());
  EXPECT_EQ(store.parameters<float>().back(), 1.0f);
  EXPECT_EQ(store.state<float>(1).back(), 2.0f);
  EXPECT_EQ(store.replica<float>(0, 0).front(), 5.0f);
}

TEST(param_store, survives_a_move) {
  param_store first = param_store::in_memory(shape);
  first.parameters<float>()[42] = 7.0f;
  const param_store second = std::move(first);
  EXPECT_EQ(second.parameters<float>()[42], 7.0f);
}

TEST(param_store, refuses_a_scalar_of_another_size) {
  const param_store store = param_store::in_memory(shape);
  EXPECT_THAT(test::message_of<config_error>([&] { (void)store.parameters<double>(); }), HasSubstr("4 bytes"));
}

TEST(param_store, locks_take_over_from_the_dead_and_from_earlier_owners_of_a_slot) {
  const param_store store = param_store::in_memory(shape);
  for (worker_slot& slot : store.slots()) slot.state = worker_state::active, slot.generation = 1;
  const stripe_locks survivor = store.locks(0);

  store.locks(1).lock(0);
  store.slots()[1].state = worker_state::free;
  survivor.lock(0);  // returns, because the owner is dead
  survivor.unlock(0);

  store.locks(2).lock(0);
  store.slots()[2].generation = 2;  // another worker lives in that slot now
  survivor.lock(0);
  survivor.unlock(0);
  EXPECT_EQ(store.stripes()[0], 0u);
}

TEST(param_store, locks_of_who_comes_back_are_not_those_that_were_taken_for_dead) {
  const param_store store = param_store::in_memory(shape);
  for (worker_slot& slot : store.slots()) slot.state = worker_state::active, slot.generation = 1;
  const std::uint32_t before = store.slots()[1].tag(1);
  store.slots()[1].come_back();  // it was not away
  EXPECT_EQ(store.slots()[1].tag(1), before);
  ASSERT_TRUE(store.slots()[1].leave_out());
  store.slots()[1].come_back();
  EXPECT_TRUE(store.slots()[1].counts());
  EXPECT_FALSE(worker_slot::is_live(store.slots().data(), before));
  EXPECT_TRUE(worker_slot::is_live(store.slots().data(), store.slots()[1].tag(1)));
}

TEST(param_store, has_no_locks_without_stripes) {
  store_shape bare = shape;
  bare.stripes = 0;
  const param_store store = param_store::in_memory(bare);
  EXPECT_TRUE(store.stripes().empty());
  EXPECT_NO_THROW((void)store.locks(0));
}

}  // namespace
