// SPDX-License-Identifier: Apache-2.0
// A worker that copies, exchanges or merges a large model reports its progress block by block.
#include <hogwild/detail/sharing/private.hpp>

#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/memory/private_memory.hpp>
#include <hogwild/detail/sharing/replica.hpp>
#include <hogwild/detail/sharing/virtual_replica.hpp>

using namespace hogwild;

namespace {

constexpr std::size_t parameters = 1'000'000, few = 50;  ///< blocks at least, of so many parameters

TEST(in_blocks, goes_through_a_run_once_and_in_order) {
  worker_slot me{};
  std::size_t next = 7;
  in_blocks(me, 7, parameters, [&](std::size_t first, std::size_t n) {
    EXPECT_EQ(first, next);
    next += n;
  });
  EXPECT_EQ(next, 7 + parameters);
  EXPECT_GE(me.blocks.get(), few);
  in_blocks(me, 0, 0, [](std::size_t, std::size_t) { ADD_FAILURE(); });
}

struct large_model : testing::Test {
  /// How many blocks slot 1 has reported since the last call.
  std::uint64_t told() {
    const std::uint64_t now = store.slots()[1].blocks.get();
    return now - std::exchange(before, now);
  }

  const param_store store = param_store::in_memory({.parameters = parameters, .workers = 2, .replicas = 2});
  const std::vector<parameter_group> groups{{.rows = parameters, .hot_first = false}};
  std::uint64_t before = 0;
};

TEST_F(large_model, is_fetched_exchanged_and_sent_block_by_block) {
  worker_memory memory;
  replica<float> mine(store, 1, memory, groups, parameters, no_singletons, update_kind::lossy);
  mine.begin_round({.exchange_rows = 8});
  EXPECT_GE(told(), few);
  race_probe probe(store.slots(), 1, false);
  mine.exchange(mine.rows_to_exchange(), probe);
  EXPECT_GE(told(), few);
  mine.end_round();
  EXPECT_GE(told(), few);
}

TEST_F(large_model, is_taken_up_and_merged_block_by_block) {
  virtual_replica<float> mine(store, 1, groups);
  mine.begin_round({});
  mine.become(0, 0);
  EXPECT_GE(told(), few);
  mine.become(1, 0);
  told();
  for (float& w : mine.values(0)) w += 2.0f;
  mine.merge({.turn = 0, .virtual_workers = 2, .last = true}, {.number = 0, .count = 1});
  EXPECT_GE(told(), few);
  for (const float w : store.parameters<float>()) ASSERT_EQ(w, 2.0f);
}

TEST(rare_columns_of_a_chunk, are_loaded_and_stored_block_by_block) {
  const param_store store = param_store::in_memory({.parameters = parameters, .workers = 1, .replicas = 1});
  const std::vector<parameter_group> groups{{.rows = parameters}};
  const auto told_by = [&](auto&& sharing) {
    const std::uint64_t before = store.slots()[0].blocks.get();
    sharing.begin_chunk({0, parameters});
    const std::uint64_t between = store.slots()[0].blocks.get();
    EXPECT_GE(between - before, few);
    sharing.end_chunk();
    EXPECT_GE(store.slots()[0].blocks.get() - between, few);
  };
  worker_memory memory;
  told_by(replica<float>(store, 0, memory, groups, parameters, 0, update_kind::lossy));
  told_by(virtual_replica<float>(store, 0, groups, 0));
}

}  // namespace
