// SPDX-License-Identifier: Apache-2.0
// Replicas whose first parameters are halves: which changes reach the shared floats, and which do not.
#include <hogwild/detail/sharing/half_parameters.hpp>

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/control/telemetry.hpp>
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/memory/private_memory.hpp>
#include <hogwild/detail/sharing/replica.hpp>
#include <hogwild/detail/sharing/virtual_replica.hpp>

namespace {

using namespace hogwild;

/// Numbers that halves cannot represent.
std::vector<float> shared_floats(std::size_t n) {
  std::mt19937 random{9};
  std::normal_distribution<float> normal;
  std::vector<float> made(n);
  for (float& x : made) x = 0.1f * normal(random);
  return made;
}

constexpr std::size_t half_count = 700, all_count = 1000;  // the halves are of columns of seven

/// Parameters; the first 700 may be halves.
struct half_replicas : testing::Test {
  half_replicas() { std::ranges::copy(shared_floats(all_count), store.parameters<float>().begin()); }

  replica<float> in_slot(std::size_t slot, worker_memory& own) {
    return replica<float>(store, slot, own, groups, static_cast<std::size_t>(-1), static_cast<std::size_t>(-1),
                          update_kind::lossy, nullptr, {half_count, isa::scalar});
  }
  std::span<float> shared() const { return store.parameters<float>(); }
  static float& weight(std::span<float> own, std::size_t j) { return own[j - half_count / 2]; }

  const std::vector<parameter_group> groups{{.name = "factors", .rows = 100, .width = 7},
                                            {.name = "weights", .offset = half_count, .rows = 299},
                                            {.name = "bias", .offset = all_count - 1, .rows = 1, .hot_first = false}};
  param_store store = param_store::in_memory({.parameters = all_count, .state_arrays = 1, .workers = 8});
  worker_memory memory, other_memory;
  race_probe probe{store.slots(), 0, false};
};

TEST_F(half_replicas, begin_as_the_rounded_values_and_take_so_much_less_memory) {
  replica<float> r = in_slot(0, memory);
  r.begin_round({.exchange_rows = 1});
  ASSERT_EQ(r.values(0).size(), all_count - half_count / 2);
  ASSERT_EQ(r.values(1).size(), all_count);
  for (std::size_t j = 0; j < half_count; ++j)
    ASSERT_EQ(halves_in(r.values(0), 0, half_count)[j], to_half(shared()[j])) << j;
  for (std::size_t j = half_count; j < all_count; ++j) ASSERT_EQ(weight(r.values(0), j), shared()[j]) << j;
}

TEST_F(half_replicas, do_not_hand_on_what_rounding_took) {
  const std::vector<float> before(shared().begin(), shared().end());
  replica<float> r = in_slot(3, memory);
  r.begin_round({.exchange_rows = 1});
  for (int i = 0; i < 20; ++i) r.exchange(r.rows_to_exchange(), probe);
  r.end_round();
  EXPECT_TRUE(std::ranges::equal(shared(), before));
}

// A gain of halves is a float, and is added to one: once, whatever is rounded afterwards.
TEST_F(half_replicas, hand_on_what_they_gained_and_no_more) {
  std::vector<float> before(shared().begin(), shared().end());
  before[all_count - 1] = 1.0f;
  for (const float gain_weight : {1.0f, 0.5f}) {
    std::ranges::copy(before, shared().begin());
    replica<float> r = in_slot(0, memory);
    r.begin_round({.exchange_rows = 1, .gain_weight = gain_weight});
    const auto own = halves_in(r.values(0), 0, half_count);
    std::vector<float> expected = before;
    for (std::size_t j = 0; j < half_count; j += 5) {
      const half began = own[j];
      own[j] = to_half(to_float(began) + 0.01f);
      expected[j] += gain_weight * (to_float(own[j]) - to_float(began));
    }
    weight(r.values(0), all_count - 1) += 2.0f;
    expected[all_count - 1] += 2.0f * gain_weight;
    for (int i = 0; i < 16; ++i) r.exchange(r.rows_to_exchange(), probe);  // these cover all columns
    r.end_round();
    for (std::size_t j = 0; j < all_count; ++j) ASSERT_EQ(shared()[j], expected[j]) << j;
    for (std::size_t j = 0; j < half_count; ++j) ASSERT_EQ(own[j], to_half(shared()[j])) << j;
  }
}

TEST_F(half_replicas, take_over_what_others_gained) {
  replica<float> one = in_slot(0, memory), two = in_slot(1, other_memory);
  for (replica<float>* const r : {&one, &two}) r->begin_round({.exchange_rows = 1});
  const std::vector<float> before(shared().begin(), shared().end());
  const auto gain = [&](replica<float>& r, std::size_t j) {
    half& own = halves_in(r.values(0), j, 1)[0];
    const float began = to_float(own);
    own = to_half(began - 0.25f);
    return to_float(own) - began;
  };
  const float gained = gain(one, 10), others = gain(two, 10), alone = gain(two, 11);
  one.exchange(one.rows_to_exchange(), probe);
  two.exchange(two.rows_to_exchange(), probe);
  EXPECT_EQ(shared()[10], before[10] + gained + others);
  EXPECT_EQ(halves_in(two.values(0), 10, 1)[0], to_half(shared()[10]));
  one.exchange(one.rows_to_exchange(), probe);
  EXPECT_EQ(shared()[11], before[11] + alone);
  EXPECT_EQ(halves_in(one.values(0), 11, 1)[0], to_half(shared()[11]));
}

TEST_F(half_replicas, notice_where_others_changed_what_they_change) {
  replica<float> r = in_slot(0, memory);
  race_probe watching(store.slots(), 0, true);
  r.begin_round({.exchange_rows = 1});
  const auto conflicts = [&] { return store.slots()[0].conflicts.get(); };
  const auto change_all = [&] {
    for (half& h : halves_in(r.values(0), 0, half_count)) h = to_half(to_float(h) + 0.5f);
  };
  for (int i = 0; i < 64; ++i) change_all(), r.exchange(1, watching);
  EXPECT_GT(store.slots()[0].conflict_samples.get(), 0u);
  EXPECT_EQ(conflicts(), 0u);
  for (int i = 0; i < 64; ++i) {
    change_all();
    for (float& w : shared()) w += 1.0f;
    r.exchange(1, watching);
  }
  EXPECT_GT(conflicts(), 0u);
}

/// Virtual workers on replicas with halves.
TEST(half_virtual_replicas, add_what_they_gained_to_the_floats) {
  const store_shape shape{
      .parameters = all_count, .state_arrays = 1, .workers = 1, .replicas = 3, .halves = half_count};
  const param_store store = param_store::in_memory(shape);
  const std::span<float> shared = store.parameters<float>();
  const std::vector<float> before = shared_floats(all_count);
  std::ranges::copy(before, shared.begin());
  virtual_replica<float> sharing(
      store, 0, {{.rows = 100, .width = 7}, {.offset = half_count, .rows = all_count - half_count, .hot_first = false}},
      no_singletons, {half_count, isa::scalar});
  sharing.begin_round({.gain_weight = 1.0f, .state_gain_weight = 1.0f});
  std::vector<float> expected = before;
  std::vector<float> gains(all_count);
  for (std::size_t v = 0; v < 3; ++v) {
    sharing.become(v, 0);
    ASSERT_EQ(sharing.values(0).size(), all_count - half_count / 2);
    ASSERT_EQ(sharing.values(1).size(), all_count);
    const auto own = halves_in(sharing.values(0), 0, half_count);
    for (std::size_t j = 0; j < half_count; ++j) ASSERT_EQ(own[j], to_half(before[j])) << j;
    for (std::size_t j = v; j < half_count; j += 4) {
      const float began = to_float(own[j]);
      own[j] = to_half(began + 0.5f);
      gains[j] += to_float(own[j]) - began;
    }
    sharing.values(0)[all_count - 1 - half_count / 2] += 1.0f;
    gains[all_count - 1] =
        (v == 0 ? 0.0f : gains[all_count - 1]) + ((before[all_count - 1] + 1.0f) - before[all_count - 1]);
    sharing.values(1)[5] += 0.25f;
  }
  sharing.merge({.turn = 0, .virtual_workers = 3, .last = true}, {.number = 0, .count = 1});
  for (std::size_t j = 0; j < all_count; ++j) ASSERT_EQ(shared[j], before[j] + gains[j]) << j;
  EXPECT_EQ(store.state<float>(0)[5], 0.75f);
}

TEST(half_virtual_replicas, lie_in_so_much_less_memory_and_apart_from_each_other) {
  store_shape shape{.parameters = 1 << 20, .state_arrays = 1, .replicas = 3};
  const std::size_t floats = store_layout(shape).total;
  shape.halves = 1 << 19;
  EXPECT_EQ(floats - store_layout(shape).total, 3u << 20);
  const param_store store = param_store::in_memory(shape);
  const std::byte* end = nullptr;
  for (std::size_t v = 0; v < 3; ++v) {
    for (std::size_t k = 0; k < 2; ++k) {
      const auto bytes = std::as_bytes(store.replica<float>(v, k));
      EXPECT_EQ(bytes.size(), (k == 0 ? 3u : 4u) << 20);
      EXPECT_GE(bytes.data(), end == nullptr ? bytes.data() : end);
      end = bytes.data() + bytes.size();
    }
  }
  EXPECT_LE(end, store.bytes().data() + store.bytes().size());
}

}  // namespace
