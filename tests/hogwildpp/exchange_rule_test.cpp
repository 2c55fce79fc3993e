// SPDX-License-Identifier: Apache-2.0
#include <hogwildpp/detail/exchange_rule.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace hogwild;

namespace {

/// A few coordinates of a replica, of the other side, and of the rule's memory.
template <class T>
struct values {
  std::vector<T> own, other, base;
  ring_block<T> read() const { return {own, other, base}; }
};

template <class T, class Mix>
values<T> increments_of(const values<T>& v, const Mix& mix) {
  const std::vector<T> nothing(v.own.size(), std::numeric_limits<T>::quiet_NaN());
  values<T> add{nothing, nothing, nothing};
  mix(v.read(), ring_increments<T>{add.own, add.other, add.base});
  return add;
}

template <class T>
void add_to(std::vector<T>& to, const std::vector<T>& increments) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += increments[i];
}

template <class T>
void apply(values<T>& v, const values<T>& add) {
  add_to(v.own, add.own);
  add_to(v.other, add.other);
  add_to(v.base, add.base);
}

template <class T>
auto deltas(T gain_weight) {
  return
      [gain_weight](const ring_block<T>& read, const ring_increments<T>& add) { mix_deltas(read, gain_weight, add); };
}
template <class T>
auto average() {
  return [](const ring_block<T>& read, const ring_increments<T>& add) { mix_average(read, add); };
}
template <class T>
auto released(std::size_t replicas, T step, T tolerance) {
  return [=](const ring_block<T>& read, const ring_increments<T>& add) {
    mix_released(read, released_weights_of(replicas), step, tolerance, add);
  };
}

TEST(released_weights, solve_their_equation) {
  const double golden = (std::sqrt(5.0) - 1) / 2;
  EXPECT_NEAR(released_weights_of(2).beta, golden, 1e-15);
  EXPECT_NEAR(released_weights_of(2).lambda, 1 - golden, 1e-15);
  EXPECT_NEAR(released_weights_of(3).beta, 0.6823278038280193, 1e-15);
  EXPECT_NEAR(released_weights_of(3).lambda, 0.5344287681232320, 1e-15);
  EXPECT_NEAR(released_weights_of(4).beta, 0.7244919590005156, 1e-15);
  EXPECT_NEAR(released_weights_of(4).lambda, 0.6197224309023859, 1e-15);
  for (const auto& [replicas, beta, lambda] :
       {std::tuple{8u, .812, .768}, {10u, .835, .803}, {16u, .877, .860}, {40u, .934, .930}}) {
    EXPECT_NEAR(released_weights_of(replicas).beta, beta, 5e-4) << replicas;
    EXPECT_NEAR(released_weights_of(replicas).lambda, lambda, 5e-4) << replicas;
  }
  for (std::size_t replicas = 2; replicas < 70'000; replicas = replicas * 5 / 4 + 1) {
    const auto [beta, lambda] = released_weights_of(replicas);
    const double power = static_cast<double>(replicas);
    EXPECT_NEAR(std::pow(beta, power) + beta, 1.0, 1e-11) << replicas;  // the slope at the root is up to 1e4
    EXPECT_NEAR(lambda, 2 - 1 / beta, 1e-11) << replicas;               // beta^(K - 1) = (1 - beta) / beta
    EXPECT_LT(beta, 1.0);
  }
}

TEST(released_weights, of_a_ring_of_one_exchange_nothing) {
  for (const std::size_t replicas : {0u, 1u}) {
    EXPECT_EQ(released_weights_of(replicas).beta, 0.0);
    EXPECT_EQ(released_weights_of(replicas).lambda, 0.0);
    const auto add = increments_of<double>({{3, -7, 1}, {3, 9, 1}, {1, 2, 1}}, released(replicas, 0.5, 0.1));
    EXPECT_EQ(add.own, (std::vector<double>{0, 0, 0}));
    EXPECT_EQ(add.other, (std::vector<double>{0, 0, 0}));
  }
}

TEST(mix_average, meets_in_the_middle) {
  values<float> v{{1.0f, -2.0f, 5.0f}, {3.0f, -6.0f, 5.0f}, {}};
  const auto add = increments_of(v, average<float>());
  EXPECT_EQ(add.own, (std::vector<float>{1.0f, -2.0f, 0.0f}));
  EXPECT_EQ(add.other, (std::vector<float>{-1.0f, 2.0f, 0.0f}));
}

RC_GTEST_PROP(mix_average, gives_the_one_what_it_takes_from_the_other, (std::vector<std::pair<float, float>> pairs)) {
  values<float> v;
  for (const auto& [a, b] : pairs) v.own.push_back(a), v.other.push_back(b);
  const auto add = increments_of(v, average<float>());
  for (std::size_t i = 0; i < pairs.size(); ++i) RC_ASSERT(add.own[i] == -add.other[i]);
}

TEST(mix_average, among_four_in_a_ring_ends_at_the_mean) {
  std::vector<std::vector<double>> ring{{8}, {0}, {-4}, {12}};
  for (std::size_t turn = 0; turn < 120; ++turn) {
    auto &own = ring[turn % 4], &next = ring[(turn + 1) % 4];
    const auto add = increments_of<double>({own, next, {}}, average<double>());
    add_to(own, add.own);
    add_to(next, add.other);
  }
  for (const auto& replica : ring) EXPECT_NEAR(replica[0], 4.0, 1e-9);
}

TEST(mix_deltas, sends_the_gain_and_takes_the_common_model_over) {
  // Gains 2 and -1 meet what others added to the common model, 3 and 0.
  values<float> v{{12.0f, 4.0f}, {13.0f, 5.0f}, {10.0f, 5.0f}};
  const auto add = increments_of(v, deltas(1.0f));
  EXPECT_EQ(add.other, (std::vector<float>{2.0f, -1.0f}));
  EXPECT_EQ(add.own, (std::vector<float>{3.0f, 0.0f}));
  EXPECT_EQ(add.base, (std::vector<float>{5.0f, -1.0f}));
  apply(v, add);
  EXPECT_EQ(v.own, (std::vector<float>{15.0f, 4.0f}));
  EXPECT_EQ(v.other, v.own);
  EXPECT_EQ(v.base, v.own);
}

TEST(mix_deltas, sends_the_gain_weight_that_it_is_told) {
  values<double> v{{12, 4}, {13, 5}, {10, 5}};
  const auto add = increments_of(v, deltas(0.25));
  EXPECT_EQ(add.other, (std::vector<double>{0.5, -0.25}));
  apply(v, add);
  EXPECT_EQ(v.own, (std::vector<double>{13.5, 4.75}));
  EXPECT_EQ(v.other, v.own);
  EXPECT_EQ(v.base, v.own);
}

RC_GTEST_PROP(mix_deltas, gives_the_common_model_gain_weight_times_the_gain,
              (std::vector<std::pair<float, float>> pairs)) {
  const float gain_weight = 1.0f / static_cast<float>(*rc::gen::inRange(1, 9));
  values<float> v;
  for (const auto& [own, base] : pairs) v.own.push_back(own), v.base.push_back(base), v.other.push_back(own - base);
  const auto add = increments_of(v, deltas(gain_weight));
  for (std::size_t i = 0; i < pairs.size(); ++i) RC_ASSERT(add.other[i] == gain_weight * (v.own[i] - v.base[i]));
}

RC_GTEST_PROP(mix_deltas, leaves_a_replica_without_others_bit_for_bit_as_it_is, ()) {
  // Sizes from 1e-16 to 1e13, so that differences and sums are rounded.
  const auto trained = *rc::gen::container<std::vector<std::pair<int, int>>>(
      rc::gen::pair(rc::gen::inRange(-1'000'000, 1'000'000), rc::gen::inRange(-15, 8)));
  values<float> v{{0.0f}, {0.0f}, {0.0f}};
  for (const auto& [digits, exponent] : trained) {
    const float value = static_cast<float>(digits) * std::pow(10.0f, static_cast<float>(exponent) - 1.0f);
    v.own[0] = value;
    apply(v, increments_of(v, deltas(1.0f)));
    RC_ASSERT(v.own[0] == value);
    RC_ASSERT(v.base[0] == v.other[0]);
  }
  // The rest that the sum with the common model rounded off is sent later.
  const float last = v.own[0];
  for (int round = 0; round < 8; ++round) apply(v, increments_of(v, deltas(1.0f)));
  RC_ASSERT(v.own[0] == last);
  RC_ASSERT(v.other[0] == last);
}

TEST(mix_deltas, keeps_what_is_added_during_the_exchange_for_the_next) {
  values<double> v{{12}, {13}, {10}};
  const auto add = increments_of(v, deltas(1.0));
  v.own[0] += 5;     // by a worker of this replica, after the block was read
  v.other[0] += 30;  // by another replica
  apply(v, add);
  EXPECT_EQ(v.own[0], 15 + 5);
  EXPECT_EQ(v.other[0], 15 + 30);
  EXPECT_EQ(v.own[0] - v.base[0], 5);
  apply(v, increments_of(v, deltas(1.0)));
  EXPECT_EQ(v.other[0], 15 + 30 + 5);
  EXPECT_EQ(v.own, v.other);
}

TEST(mix_released, two_replicas_worked_by_hand) {
  // delta = 0.5 * (3 - 1) = 1. For two, lambda = 1 - beta, so that a change that was sent does not echo.
  const double golden = (std::sqrt(5.0) - 1) / 2;
  values<double> v{{3}, {1}, {1}};
  apply(v, increments_of(v, released(2, 0.5, 0.1)));
  EXPECT_NEAR(v.own[0], (1 - golden) * 1 + golden * 3, 1e-14);
  EXPECT_NEAR(v.other[0], 1 + golden, 1e-14);
  EXPECT_NEAR(v.base[0], v.own[0], 1e-14);
  values<double> held{{3}, {1}, {1}};
  apply(held, increments_of(held, released(2, 0.5, 1.5)));
  EXPECT_NEAR(held.own[0], (1 - golden) * 1 + golden * 3 + (1 - golden), 1e-14);
  EXPECT_EQ(held.other[0], 1);
  EXPECT_NEAR(held.base[0], held.own[0] - 1, 1e-14);
}

TEST(mix_released, three_and_four_replicas_worked_by_hand) {
  const auto expect = [](values<double> v, auto mix, double own, double other, double base) {
    apply(v, increments_of(v, mix));
    EXPECT_NEAR(v.own[0], own, 1e-11);
    EXPECT_NEAR(v.other[0], other, 1e-11);
    EXPECT_NEAR(v.base[0], base, 1e-11);
  };
  const values<double> three{{2}, {-1}, {1.5}}, four{{-1}, {1}, {1}};  // delta is 2 * 0.5 = 1 and 0.5 * -2 = -1
  expect(three, released(3, 2.0, 0.5), 0.613470267582, -0.317672196172, 0.613470267582);
  expect(three, released(3, 2.0, 1.0), 0.931142463754, -1.0, -0.068857536246);  // not above the tolerance: not sent
  expect(four, released(4, 0.5, 0.25), -0.104769528098, 0.275508040999, -0.104769528098);
  expect(four, released(4, 0.5, 1.0), -0.380277569098, 1.0, 0.619722430902);
}

TEST(mix_released, keeps_what_is_added_during_the_exchange_for_the_next) {
  values<double> v{{3}, {1}, {1}};
  const auto add = increments_of(v, released(2, 0.5, 0.1));
  v.own[0] += 4;
  apply(v, add);
  EXPECT_NEAR(v.own[0] - v.base[0], 4, 1e-14);
}

/// An exchange of a few replicas that is in flight: the numbers that it read, and for whom.
struct flight {
  std::size_t replica;
  values<double> add;
};

// Values are whole numbers and gain_weight is 1, so that every sum is exact. Any worker may begin an exchange for any
// replica at any time, also for one that has an exchange under way, and end it much later.
RC_GTEST_PROP(mix_deltas, loses_and_doubles_nothing_in_whichever_order_things_happen, ()) {
  const auto replicas = *rc::gen::inRange<std::size_t>(1, 6);
  std::vector<double> common{0}, zero{0};
  std::vector<values<double>> ring(replicas, {zero, {}, zero});
  double trained = 0;
  std::vector<flight> flights;
  const auto begin = [&](std::size_t r) {
    flights.push_back({r, increments_of<double>({ring[r].own, common, ring[r].base}, deltas(1.0))});
  };
  const auto end = [&](std::size_t f) {
    add_to(ring[flights[f].replica].own, flights[f].add.own);
    add_to(ring[flights[f].replica].base, flights[f].add.base);
    add_to(common, flights[f].add.other);
    flights.erase(flights.begin() + static_cast<std::ptrdiff_t>(f));
  };
  for (const int what : *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 3))) {
    const auto r = *rc::gen::inRange<std::size_t>(0, replicas);
    if (what == 0) {
      const int gain = *rc::gen::inRange(-1000, 1000);
      ring[r].own[0] += gain;
      trained += gain;
    } else if (what == 1 && flights.size() < 4) {
      begin(r);
    } else if (!flights.empty()) {
      end(*rc::gen::inRange<std::size_t>(0, flights.size()));
    }
  }
  while (!flights.empty()) end(0);
  for (int round = 0; round < 2; ++round) {
    for (std::size_t r = 0; r < replicas; ++r) begin(r), end(0);
  }
  RC_ASSERT(common[0] == trained);
  for (const values<double>& r : ring) RC_ASSERT(r.own[0] == trained);
}

// The same for pairs of neighbours; sixty halvings of whole numbers would not be exact, sixteen are.
RC_GTEST_PROP(mix_average, conserves_the_sum_in_whichever_order_things_happen, ()) {
  const auto replicas = *rc::gen::inRange<std::size_t>(2, 6);
  std::vector<std::vector<double>> ring(replicas, {0.0});
  double trained = 0;
  std::vector<flight> flights;
  const auto end = [&](std::size_t f) {
    add_to(ring[flights[f].replica], flights[f].add.own);
    add_to(ring[(flights[f].replica + 1) % replicas], flights[f].add.other);
    flights.erase(flights.begin() + static_cast<std::ptrdiff_t>(f));
  };
  for (int turn = 0; turn < 16; ++turn) {
    const auto r = *rc::gen::inRange<std::size_t>(0, replicas);
    const int gain = *rc::gen::inRange(-1000, 1000);
    ring[r][0] += gain;
    trained += gain;
    flights.push_back({r, increments_of<double>({ring[r], ring[(r + 1) % replicas], {}}, average<double>())});
    if (*rc::gen::arbitrary<bool>()) end(*rc::gen::inRange<std::size_t>(0, flights.size()));
  }
  while (!flights.empty()) end(0);
  const auto sum = [](double s, const std::vector<double>& replica) { return s + replica[0]; };
  RC_ASSERT(std::accumulate(ring.begin(), ring.end(), 0.0, sum) == trained);
}

}  // namespace
