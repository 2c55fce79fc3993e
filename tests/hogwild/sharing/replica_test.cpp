// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/sharing/replica.hpp>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/memory/private_memory.hpp>

using namespace hogwild;

namespace {

constexpr std::size_t unlimited = static_cast<std::size_t>(-1);

/// A store of 8 slots, and the other needs of a replica on it.
struct replicas : testing::Test {
  void make(std::size_t parameters, std::size_t state_arrays = 0) {
    store = param_store::in_memory({.parameters = parameters, .state_arrays = state_arrays, .workers = 8});
  }
  replica<float> in_slot(std::size_t slot, std::vector<parameter_group> groups, std::size_t head = unlimited,
                         std::size_t first_singleton = unlimited) {
    return replica<float>(store, slot, memory, std::move(groups), head, first_singleton, update_kind::lossy);
  }
  std::span<float> shared() const { return store.parameters<float>(); }
  std::uint64_t unsent(std::size_t slot = 0) const { return store.slots()[slot].unsent.get(); }

  /// Adds 1 to all that the replica holds, lets it exchange, and returns which shared parameters changed.
  std::vector<std::size_t> travelled(replica<float>& r) {
    const std::vector<float> before(shared().begin(), shared().end());
    for (float& w : r.values(0)) w += 1.0f;
    race_probe probe(store.slots(), 0, false);
    r.exchange(r.rows_to_exchange(), probe);
    std::vector<std::size_t> moved;
    for (std::size_t j = 0; j < before.size(); ++j) {
      if (shared()[j] != before[j]) moved.push_back(j);
    }
    return moved;
  }
  static std::vector<std::size_t> range(std::size_t first, std::size_t last) {
    std::vector<std::size_t> all(last - first);
    std::iota(all.begin(), all.end(), first);
    return all;
  }

  param_store store = param_store::in_memory({});
  worker_memory memory;
};

TEST_F(replicas, exchange_a_prefix_of_the_columns_like_the_marks_of_a_ruler) {
  make(5000);
  replica<float> r = in_slot(0, {{.rows = 5000}});
  r.begin_round({.exchange_rows = 1});
  // 512 positions each time, and twice as many at every second, every fourth ... time.
  const std::vector<std::size_t> prefix{512,  1024, 512,  2048, 512,  1024, 512,  4096, 512,
                                        1024, 512,  2048, 512,  1024, 512,  5000, 512,  1024};
  for (std::size_t k = 0; k < prefix.size(); ++k) EXPECT_EQ(travelled(r), range(0, prefix[k])) << "exchange " << k + 1;
  // Positions that wait longer bring the more with them: nothing was lost on the way.
  EXPECT_EQ(shared()[0], 18.0f);
  EXPECT_EQ(shared()[1023], 18.0f);
  EXPECT_EQ(shared()[4999], 16.0f);
}

TEST_F(replicas, say_before_an_exchange_what_it_covers) {
  make(1000 * 3 + 3);
  replica<float> r =
      in_slot(0, {{.rows = 1000, .width = 3}, {.offset = 3000, .rows = 3, .hot_first = false}}, unlimited, 600);
  r.begin_round({.exchange_rows = 1});
  for (int k = 1; k <= 8; ++k) {
    std::vector<std::size_t> due;
    for (const auto& [first, count] : r.due()) std::ranges::copy(range(first, first + count), std::back_inserter(due));
    EXPECT_EQ(travelled(r), due) << "exchange " << k;
  }
}

TEST_F(replicas, send_the_same_from_every_slot) {
  make(1000);
  for (std::size_t slot = 0; slot < 8; ++slot) {
    replica<float> r = in_slot(slot, {{.rows = 1000}});
    r.begin_round({.exchange_rows = 16});
    EXPECT_EQ(travelled(r), range(0, 512)) << slot;
    EXPECT_EQ(travelled(r), range(0, 1000)) << slot;
  }
  EXPECT_EQ(shared()[0], 16.0f);
  EXPECT_EQ(shared()[999], 16.0f);
}

TEST_F(replicas, of_wide_rows_exchange_as_many_parameters_and_whole_rows) {
  make(1000 * 3 + 3);
  // 512 parameters are 170 rows of 3; groups without an order by popularity are exchanged each time.
  replica<float> r = in_slot(0, {{.name = "weights", .rows = 1000, .width = 3},
                                 {.name = "bias", .offset = 3000, .rows = 3, .hot_first = false}});
  r.begin_round({.exchange_rows = 1});
  for (const std::size_t columns : {170u, 340u, 170u, 680u, 170u, 340u, 170u, 1000u}) {
    auto expected = range(0, columns * 3);
    for (const std::size_t j : range(3000, 3003)) expected.push_back(j);
    EXPECT_EQ(travelled(r), expected) << columns;
  }
  EXPECT_EQ(unsent(), 0u);
}

TEST_F(replicas, of_very_wide_rows_exchange_sixteen_of_them) {
  make(100 * 64);
  replica<float> r = in_slot(0, {{.rows = 100, .width = 64}});
  r.begin_round({.exchange_rows = 1});
  EXPECT_EQ(travelled(r), range(0, 16 * 64));
  EXPECT_EQ(travelled(r), range(0, 32 * 64));
}

TEST_F(replicas, of_parameters_without_order_exchange_all) {
  make(3000);
  replica<float> r = in_slot(5, {{.rows = 3000, .hot_first = false}});
  r.begin_round({.exchange_rows = 1});
  for (int k = 0; k < 3; ++k) EXPECT_EQ(travelled(r), range(0, 3000));
  EXPECT_EQ(unsent(5), 0u);
}

TEST_F(replicas, begin_a_round_with_all_that_is_there_and_drop_what_they_had) {
  make(2000, 1);
  std::iota(shared().begin(), shared().end(), 0.0f);
  std::ranges::fill(store.state<float>(0), 7.0f);
  replica<float> r = in_slot(0, {{.rows = 2000}});
  r.begin_round({.exchange_rows = 64});
  EXPECT_TRUE(std::ranges::equal(r.values(0), shared()));
  EXPECT_TRUE(std::ranges::equal(r.values(1), store.state<float>(0)));
  std::ranges::fill(r.values(0), -1.0f);
  store.slots()[0].unsent.set(5);
  shared()[1999] = 3.0f;
  r.begin_round({.exchange_rows = 64});
  EXPECT_TRUE(std::ranges::equal(r.values(0), shared()));
  EXPECT_EQ(unsent(), 0u);
  r.end_round();
  EXPECT_EQ(shared()[1999], 3.0f);
  EXPECT_EQ(shared()[1], 1.0f);
}

TEST_F(replicas, end_a_round_with_nothing_left) {
  make(3000, 1);
  replica<float> r = in_slot(2, {{.rows = 2999}, {.offset = 2999, .rows = 1, .hot_first = false}});
  r.begin_round({});
  EXPECT_EQ(r.rows_to_exchange(), unlimited);  // without a period nothing travels before the end
  for (float& w : r.values(0)) w += 1.0f;
  for (float& s : r.values(1)) s += 2.0f;
  race_probe probe(store.slots(), 2, false);
  r.exchange(1000, probe);
  EXPECT_EQ(unsent(2), 1000u);
  EXPECT_EQ(shared()[0], 0.0f);
  r.end_round();
  EXPECT_TRUE(std::ranges::all_of(shared(), [](float w) { return w == 1.0f; }));
  EXPECT_TRUE(std::ranges::all_of(store.state<float>(0), [](float s) { return s == 2.0f; }));
  EXPECT_EQ(unsent(2), 0u);
}

TEST_F(replicas, send_weighted_gains_of_parameters_but_all_of_the_optimisers_sums) {
  make(100, 1);
  replica<float> r = in_slot(0, {{.rows = 100}});
  r.begin_round({.exchange_rows = 1, .gain_weight = 0.25f});
  r.values(0)[5] = 8.0f;
  r.values(1)[5] = 8.0f;
  r.end_round();
  EXPECT_EQ(shared()[5], 2.0f);
  EXPECT_EQ(store.state<float>(0)[5], 8.0f);
  r.begin_round({});
  EXPECT_EQ(r.values(0)[5], 2.0f);
}

TEST_F(replicas, exchange_at_different_times_in_different_slots) {
  make(100);
  const std::size_t places[] = {0, 4, 2, 6, 1, 5, 3, 7};  // neighbours lie far apart
  for (std::size_t slot = 0; slot < 8; ++slot) {
    const std::size_t early = 8 * places[slot];
    replica<float> r = in_slot(slot, {{.rows = 100}});
    r.begin_round({.exchange_rows = 64});
    EXPECT_EQ(r.rows_to_exchange(), 64 - early);
    race_probe probe(store.slots(), slot, false);
    r.values(0)[0] += 1.0f;
    r.exchange(3, probe);
    EXPECT_EQ(r.rows_to_exchange(), 61 - early);
    EXPECT_EQ(shared()[0], static_cast<float>(slot));
    r.exchange(61 - early, probe);
    EXPECT_EQ(r.rows_to_exchange(), 64u);
    EXPECT_EQ(shared()[0], static_cast<float>(slot + 1));
  }
}

TEST_F(replicas, count_rows_as_unsent_until_all_columns_have_travelled) {
  make(2000);
  replica<float> r = in_slot(0, {{.rows = 2000}});
  r.begin_round({.exchange_rows = 10});
  race_probe probe(store.slots(), 0, false);
  for (const std::uint64_t expected : {10u, 20u, 30u, 0u, 10u, 20u, 30u, 0u}) {  // 2,048 positions at every fourth
    r.exchange(10, probe);
    EXPECT_EQ(unsent(), expected);
  }
  r.exchange(4, probe);
  EXPECT_EQ(unsent(), 4u);
  r.end_round();
  EXPECT_EQ(unsent(), 0u);
}

TEST_F(replicas, of_a_head_hold_and_send_that_alone) {
  make(3001);
  std::iota(shared().begin(), shared().end(), 0.0f);
  replica<float> r = in_slot(0, {{.rows = 3000}, {.offset = 3000, .rows = 1, .hot_first = false}}, 640);
  r.begin_round({.exchange_rows = 1});
  ASSERT_EQ(r.values(0).size(), 640u);
  EXPECT_EQ(r.values(0)[639], 639.0f);
  EXPECT_EQ(travelled(r), range(0, 512));
  EXPECT_EQ(unsent(), 1u);
  EXPECT_EQ(travelled(r), range(0, 640));
  EXPECT_EQ(unsent(), 0u);  // all that it holds has travelled
  r.values(0)[639] += 1.0f;
  r.end_round();
  EXPECT_EQ(shared()[639], 642.0f);
  EXPECT_EQ(shared()[640], 640.0f);
}

TEST_F(replicas, tell_the_probe_what_others_changed_since) {
  make(640);
  replica<float> r = in_slot(0, {{.rows = 640}});
  r.begin_round({.exchange_rows = 1});
  race_probe probe(store.slots(), 0, true);
  const worker_slot& me = store.slots()[0];
  for (int k = 1; k <= 16; ++k) {
    for (float& w : r.values(0)) w += 1.0f;
    if (k > 8) {
      for (float& w : shared()) w += 1.0f;  // others have added, too
    }
    r.exchange(1, probe);
    // Eight parameters are looked at in the first exchange, and then in one of eight.
    EXPECT_EQ(me.conflict_samples.get(), k < 9 ? 8u : 16u) << k;
    EXPECT_EQ(me.conflicts.get(), k < 9 ? 0u : 8u) << k;
  }
}

TEST_F(replicas, of_several_workers_bring_everything_together) {
  make(1500);
  worker_memory other_memory;
  replica<float> one = in_slot(0, {{.rows = 1500}});
  replica<float> two(store, 1, other_memory, {{.rows = 1500}}, unlimited, unlimited, update_kind::lossy);
  one.begin_round({.exchange_rows = 4});
  two.begin_round({.exchange_rows = 4});
  race_probe probe(store.slots(), 0, false), other_probe(store.slots(), 1, false);
  for (int k = 0; k < 50; ++k) {
    for (float& w : one.values(0)) w += 1.0f;
    for (float& w : two.values(0)) w += 100.0f;
    one.exchange(3, probe);
    two.exchange(1, other_probe);
  }
  one.end_round();
  two.end_round();
  EXPECT_TRUE(std::ranges::all_of(shared(), [](float w) { return w == 50.0f * 101.0f; }));
}

/// The positions of the values that are `wanted`.
std::vector<std::size_t> places_of(std::span<const float> values, float wanted) {
  std::vector<std::size_t> places;
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (values[j] == wanted) places.push_back(j);
  }
  return places;
}

TEST_F(replicas, fetch_and_store_singletons_with_their_chunk_and_exchange_none_of_them) {
  make(2000, 1);
  std::ranges::fill(shared(), 1.0f);
  std::ranges::fill(store.state<float>(0), 1.0f);
  replica<float> r = in_slot(0, {{.rows = 2000}}, unlimited, 1500);
  r.begin_round({.exchange_rows = 1});
  EXPECT_EQ(places_of(r.values(0), 1.0f), range(0, 1500));
  r.begin_chunk({1600, 1700});
  for (const std::size_t k : {0u, 1u}) {
    EXPECT_EQ(places_of(r.values(k).subspan(1500), 1.0f), range(100, 200));
    for (float& w : r.values(k)) w += 1.0f;
  }
  race_probe probe(store.slots(), 0, false);
  r.exchange(1, probe);
  EXPECT_EQ(places_of(shared(), 2.0f), range(0, 512));
  r.end_chunk();
  EXPECT_EQ(places_of(shared().subspan(1500), 2.0f), range(100, 200));
  r.end_round();
  for (const auto values : {store.parameters<float>(), store.state<float>(0)}) {
    EXPECT_EQ(places_of(values.first(1500), 2.0f), range(0, 1500));
    EXPECT_EQ(places_of(values.subspan(1500), 2.0f), range(100, 200));
  }
  EXPECT_EQ(unsent(), 0u);
}

TEST_F(replicas, of_wide_rows_behind_others_fetch_those_that_they_hold) {
  make(100 + 3 * 50);
  std::ranges::fill(shared(), 1.0f);
  // Three parameters a column; 40 columns occur in several rows; the replica holds those up to 45.
  replica<float> r =
      in_slot(0, {{.rows = 100, .hot_first = false}, {.offset = 100, .rows = 50, .width = 3}}, 100 + 3 * 45, 40);
  r.begin_round({.exchange_rows = 1});
  EXPECT_EQ(places_of(r.values(0), 1.0f), range(0, 100 + 3 * 40));
  r.begin_chunk({43, 48});
  EXPECT_EQ(places_of(r.values(0).subspan(220), 1.0f), range(9, 15));
  for (float& w : r.values(0).subspan(220)) w += 1.0f;
  r.end_chunk();
  EXPECT_EQ(places_of(shared(), 2.0f), range(229, 235));
  r.begin_chunk({});
  r.end_chunk();
  EXPECT_EQ(places_of(shared(), 2.0f), range(229, 235));
}

}  // namespace
