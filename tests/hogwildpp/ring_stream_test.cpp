// SPDX-License-Identifier: Apache-2.0
#include <hogwildpp/detail/ring_stream.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace hogwild;
using testing::ElementsAre;
using numbers = std::vector<double>;

namespace {

/// One rank with an array of plain numbers; it exchanges all of them at each turn.
struct rank {
  ring_stream<double> stream;
  numbers w, gain_weight;

  explicit rank(const numbers& common) : stream(common.size()), w(common), gain_weight(common.size(), 1.0) {
    stream.begin(common);
  }
  /// Takes a turn. `round` is applied to the message, which is sent on and returned.
  template <class Round>
  numbers turn(const numbers& came, const Round& round) {
    for (std::size_t j = 0; j < came.size(); ++j) stream.take_in(j, came[j]);
    numbers send(w.size()), add(w.size());
    stream.turn(0, w, gain_weight, send);
    for (double& x : send) x = round(x);
    stream.sent(0, w, gain_weight, send, add);
    for (std::size_t j = 0; j < w.size(); ++j) w[j] += add[j];
    return send;
  }
  numbers turn(const numbers& came) {
    return turn(came, [](double x) { return x; });
  }
  numbers bring(bool is_last) const {
    numbers part(w.size());
    stream.bring(w, gain_weight, is_last, part);
    return part;
  }
};

TEST(ring_stream, sums_gains_by_hand) {
  rank a({1, 10}), b({1, 10});
  a.w = {3, 10};  // gained 2
  b.w = {1, 15};  // gained 5
  EXPECT_THAT(a.turn({}), ElementsAre(2, 0));
  EXPECT_THAT(b.turn({2, 0}), ElementsAre(2, 5));
  EXPECT_THAT(b.w, ElementsAre(3, 15));
  // b's message covers all changes since a's turn, including a's own gain.
  a.w[0] += 4;
  EXPECT_THAT(a.turn({2, 5}), ElementsAre(4, 5));
  EXPECT_THAT(a.w, ElementsAre(7, 15));
  b.w[1] += 1;
  EXPECT_THAT(b.turn({4, 5}), ElementsAre(4, 1));
  EXPECT_THAT(b.w, ElementsAre(7, 16));
  // Merged: the parameters of b, the last, and a's gains since its turn.
  a.w[0] += 8;
  const numbers of_a = a.bring(false), of_b = b.bring(true);
  EXPECT_EQ(of_a[0] + of_b[0], 15);
  EXPECT_EQ(of_a[1] + of_b[1], 16);
}

TEST(ring_stream, keeps_a_fraction_of_gains) {
  rank a({0}), b({0});
  a.gain_weight = b.gain_weight = {0.5};
  a.w = {4};
  b.w = {8};
  EXPECT_THAT(a.turn({}), ElementsAre(2));
  EXPECT_THAT(a.w, ElementsAre(2));  // the rank itself moves by what it keeps
  EXPECT_THAT(b.turn({2}), ElementsAre(6));
  EXPECT_THAT(b.w, ElementsAre(6));  // the mean of both
  EXPECT_THAT(a.turn({6}), ElementsAre(4));
  EXPECT_THAT(a.w, ElementsAre(6));
}

TEST(ring_stream, sends_later_what_rounding_takes) {
  rank a({0}), b({0});
  a.w = {2.75};
  const auto whole = [](double x) { return std::floor(x); };
  EXPECT_THAT(a.turn({}, whole), ElementsAre(2));
  EXPECT_THAT(b.turn({2}, whole), ElementsAre(2));
  a.w[0] += 0.5;
  EXPECT_THAT(a.turn({2}, whole), ElementsAre(1));  // of 0.75 and 0.5
  EXPECT_THAT(a.w, ElementsAre(3.25));
  EXPECT_THAT(b.turn({1}, whole), ElementsAre(1));
  EXPECT_EQ(a.bring(false)[0] + b.bring(true)[0], 3.25);
}

TEST(kept_gains, sum_what_is_flat_and_nearly_average_what_is_steep) {
  const auto kept = kept_gains::of(0.5, 100.0, 4);     // z = 50 times the curvature
  EXPECT_NEAR(kept(1e12, 4.0), 1.5 / 4.0, 1e-12);      // unlimited curvature
  EXPECT_DOUBLE_EQ(kept(0.04, 4.0), 1.5 / 4.0 * 1.5);  // z = 2
  EXPECT_DOUBLE_EQ(kept(0.02, 4.0), 0.75);             // z = 1
  EXPECT_EQ(kept(1e-9, 4.0), 1.0);
  EXPECT_EQ(kept(0.0, 4.0), 1.0);
  EXPECT_EQ(kept_gains::of(0.5, 0.0, 4)(1e9, 4.0), 1.0);
  EXPECT_EQ(kept_gains::of(0.0, 5.0, 4)(1e9, 4.0), 1.0);
}

// For a column that only one rank has, no other rank pulls, however steep it is; for one that no rank has, l2 may pull.
TEST(kept_gains, count_the_ranks_that_have_rows) {
  const auto kept = kept_gains::of(0.5, 100.0, 8);
  EXPECT_EQ(kept(1e9, 1.0), 1.0);
  EXPECT_NEAR(kept(1e9, 2.0), 0.75, 1e-6);
  EXPECT_NEAR(kept(1e9, 8.0), 1.5 / 8.0, 1e-6);
  const auto shrunk = kept_gains::of(0.5, 100.0, 8, 0.02);  // the seven others go half of the way
  EXPECT_NEAR(shrunk(1e9, 1.0), 1.5 / (1.0 + 7.0 * 0.5), 1e-6);
  EXPECT_NEAR(shrunk(0.0, 0.0), 1.5 / (8.0 * 0.5), 1e-6);
}

// Together the ranks go no further than the stated multiple of the way, whatever the curvature.
TEST(kept_gains, never_let_ranks_go_further_than_they_say) {
  for (const std::size_t p : {2u, 3u, 8u, 1000u}) {
    for (double curvature = 1e-6; curvature < 1e6; curvature *= 3.0) {
      const double z = 0.1 * 50.0 * curvature, holders = static_cast<double>(p);
      const double together = holders * kept_gains::of(0.1, 50.0, p)(curvature, holders) * -std::expm1(-z);
      EXPECT_LT(together, 2.0) << p << " ranks, z " << z;
    }
  }
}

// Nor if one rank has a thousand times as many rows of a parameter as each of the others: the kept part follows from
// the mean.
TEST(kept_gains, never_let_unequal_ranks_go_further_either) {
  for (const double others : {1.0, 2.0, 7.0}) {
    for (double most = 1e-6; most < 1e6; most *= 3.0) {
      const double mean = (most + others * most / 1000.0) / (1.0 + others);
      const double kept = kept_gains::of(1.0, 1.0, 8)(mean, 1.0 + others);
      EXPECT_LT(kept * (-std::expm1(-most) - others * std::expm1(-most / 1000.0)), 2.0)
          << others << " others, " << most;
    }
  }
}

}  // namespace
