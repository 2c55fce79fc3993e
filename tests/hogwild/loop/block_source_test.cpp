// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/loop/block_source.hpp>

#include <array>
#include <numeric>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/run/rounds.hpp>
#include <hogwild/detail/task/training_task.hpp>

namespace hogwild {
namespace {

constexpr std::uint32_t bands = 4, blocks = bands * bands;

struct block_draws : testing::Test {
  block_draws() {
    std::iota(starts.begin(), starts.end(), 0u);
    for (worker_slot& slot : store.slots()) slot.state = worker_state::active;
  }
  round_plan open(std::uint32_t redo = 0) {
    round_plan round{.pass = ++passes, .redo = redo, .shards = 2, .workers = 2};
    open_round(store, plan(), round);
    return round;
  }
  chunk_plan plan() const { return chunk_plan(std::span<const std::uint32_t>(starts)); }
  block_source source(const round_plan& round, std::size_t slot) {
    return block_source({store, round, slot, plan(), options});
  }
  /// Finishes a block like the worker loop.
  void finish(block_source& from, const ticket& block, const round_plan& round) {
    store.done()[block.number].raise_to(round.number);
    from.finish(probe);
  }

  std::array<std::uint32_t, blocks + 1> starts{};
  param_store store =
      param_store::in_memory({.parameters = 1, .workers = 2, .shards = 2, .chunks = blocks, .stripes = owner_stripes});
  loop_options options{};
  race_probe probe{store.slots(), 0, false};
  std::uint64_t passes = 0;
};

TEST_F(block_draws, each_block_comes_once_a_round_and_in_another_order_the_next) {
  std::vector<std::vector<std::size_t>> orders;
  for (int k = 0; k < 2; ++k) {
    const round_plan round = open();
    block_source mine = source(round, 0);
    std::vector<std::size_t> order;
    while (const auto drawn = mine.draw()) {
      EXPECT_EQ(drawn->number, drawn->chunk);
      EXPECT_EQ(drawn->position, static_cast<double>(order.size()));
      order.push_back(drawn->chunk);
      finish(mine, *drawn, round);
    }
    EXPECT_EQ(std::set<std::size_t>(order.begin(), order.end()).size(), blocks);
    EXPECT_EQ(order.size(), blocks);
    orders.push_back(order);
  }
  EXPECT_NE(orders[0], orders[1]);
}

TEST_F(block_draws, two_workers_never_have_users_or_items_in_common) {
  const round_plan round = open();
  block_source a = source(round, 0), b = source(round, 1);
  std::size_t drawn = 0;
  while (const auto first = a.draw()) {
    // Nine blocks share nothing with the first; while seven are gone or taken, one of them is left.
    const auto second = drawn <= 6 ? b.draw() : std::nullopt;
    if (second) {
      EXPECT_NE(first->chunk / bands, second->chunk / bands);
      EXPECT_NE(first->chunk % bands, second->chunk % bands);
      finish(b, *second, round);
      ++drawn;
    }
    finish(a, *first, round);
    ++drawn;
  }
  EXPECT_EQ(drawn, blocks);
}

TEST_F(block_draws, what_a_dead_owner_had_goes_to_the_next) {
  const round_plan round = open();
  const auto locks = store.locks(1);
  for (std::size_t stripe = 0; stripe < most_bands + bands; ++stripe) EXPECT_TRUE(locks.try_lock_stripe(stripe));
  store.slots()[1].state = worker_state::left_out;
  block_source mine = source(round, 0);
  std::size_t drawn = 0;
  while (const auto block = mine.draw()) finish(mine, *block, round), ++drawn;
  EXPECT_EQ(drawn, blocks);
}

TEST_F(block_draws, a_worker_that_leaves_lets_go_of_its_block) {
  const round_plan round = open();
  { ASSERT_TRUE(source(round, 0).draw()); }
  for (std::size_t stripe = 0; stripe < most_bands + bands; ++stripe)
    EXPECT_TRUE(store.locks(1).try_lock_stripe(stripe));
}

TEST_F(block_draws, who_waits_for_the_last_block_leaves_when_it_is_left_out_or_the_run_stops) {
  const round_plan round = open();
  for (std::size_t k = 0; k < blocks; ++k) store.done()[k].raise_to(round.number);
  store.done()[5].round = 0;
  block_source a = source(round, 0), b = source(round, 1);
  ASSERT_TRUE(a.draw());
  store.slots()[1].state = worker_state::left_out;
  EXPECT_FALSE(b.draw());
  store.slots()[1].state = worker_state::active;
  store.control().stop = stop_request::leave;
  EXPECT_FALSE(b.draw());
}

TEST_F(block_draws, a_redo_round_has_the_blocks_of_its_list) {
  store.redo()[0] = 7, store.redo()[1] = 2;
  const round_plan round = open(2);
  block_source mine = source(round, 0);
  std::set<std::size_t> drawn;
  while (const auto block = mine.draw()) finish(mine, *block, round), drawn.insert(block->chunk);
  EXPECT_EQ(drawn, (std::set<std::size_t>{2, 7}));
}

// Plain numbers, one of each band: under ThreadSanitizer a second owner at the same time is a data race.
TEST_F(block_draws, owners_may_write_without_atomics) {
  std::array<std::uint64_t, bands> users{}, items{};
  constexpr int rounds = 200;
  for (int k = 0; k < rounds; ++k) {
    const round_plan round = open();
    const auto work = [&](std::size_t slot) {
      block_source mine = source(round, slot);
      race_probe own(store.slots(), slot, false);
      while (const auto block = mine.draw()) {
        ++users[block->chunk / bands], ++items[block->chunk % bands];
        store.done()[block->number].raise_to(round.number);
        mine.finish(own);
      }
    };
    std::jthread other([&] { work(1); });
    work(0);
  }
  for (std::uint32_t band = 0; band < bands; ++band) {
    EXPECT_EQ(users[band], rounds * bands);
    EXPECT_EQ(items[band], rounds * bands);
  }
}

}  // namespace
}  // namespace hogwild
