// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/math/proximal.hpp>

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/math/random.hpp>

using namespace hogwild;

namespace {

TEST(soft_threshold, is_exactly_zero_near_zero_and_moves_towards_it_elsewhere) {
  EXPECT_EQ(soft_threshold(0.5f, 0.5f), 0.0f);
  EXPECT_EQ(soft_threshold(-0.5f, 0.5f), 0.0f);
  EXPECT_EQ(soft_threshold(0.3f, 0.5f), 0.0f);
  EXPECT_FALSE(std::signbit(soft_threshold(-0.3f, 0.5f)));
  EXPECT_EQ(soft_threshold(2.0f, 0.5f), 1.5f);
  EXPECT_EQ(soft_threshold(-2.0f, 0.5f), -1.5f);
  EXPECT_EQ(soft_threshold(-2.0f, 0.0f), -2.0f);
}

/// Algorithm 1 of the paper for one coordinate, in double precision and in the paper's order: the weight of the sums so
/// far, then the gradient at it, then the sums.
struct paper {
  double alpha, beta, lambda1, lambda2, z = 0.0, n = 0.0;

  double weight() const {
    if (std::abs(z) <= lambda1) return 0.0;
    const double sign = z > 0.0 ? 1.0 : -1.0;
    return -1.0 / ((beta + std::sqrt(n)) / alpha + lambda2) * (z - sign * lambda1);
  }
  void take(double g) {
    const double w = weight(), sigma = (std::sqrt(n + g * g) - std::sqrt(n)) / alpha;
    z += g - sigma * w;
    n += g * g;
  }
};

TEST(ftrl_rule, is_the_form_of_its_paper) {
  const counter_random random(1, 0);
  std::uint64_t drawn = 0;
  for (const float lambda1 : {0.0f, 0.5f, 3.0f}) {
    const ftrl_rule rule{.alpha = 0.3f, .beta = 0.7f, .lambda1 = lambda1, .lambda2 = 0.4f};
    paper expected{0.3f, 0.7f, lambda1, 0.4f};
    float z = 0.0f, s = 0.0f;
    for (int i = 0; i < 200; ++i) {
      const double g = 2.0 * random.uniform(drawn++) - 0.8;
      const float w = rule.weight(z, s);
      EXPECT_NEAR(static_cast<double>(w), expected.weight(), 1e-4) << i;
      const float more = rule.gain_of_root(static_cast<float>(g), s);
      z += rule.gain(static_cast<float>(g), w, more);
      s += more;
      expected.take(g);
    }
    EXPECT_NEAR(static_cast<double>(s), std::sqrt(expected.n), 1e-4);
    EXPECT_GT(std::abs(expected.weight()), 0.1);
  }
}

// Two workers begin with the same sums and see the same gradients; then their gains are added up. With the root of the
// sum of squares the weight would be larger than that of each.
TEST(ftrl_rule, of_gains_that_are_added_up_stays_where_they_pull_to) {
  const ftrl_rule rule{.alpha = 0.5f, .beta = 1e-6f};
  float z = 0.0f, s = 0.0f;
  for (int i = 0; i < 50; ++i) {
    const float g = rule.weight(z, s) - 1.0f, more = rule.gain_of_root(g, s);
    z += rule.gain(g, rule.weight(z, s), more);
    s += more;
  }
  EXPECT_NEAR(rule.weight(z, s), 1.0f, 0.01f);
  EXPECT_NEAR(rule.weight(2.0f * z, 2.0f * s), 1.0f, 0.01f);
}

TEST(ftrl_rule, takes_no_root_for_less_than_zero) {
  const ftrl_rule rule{.lambda1 = 1.0f};
  EXPECT_EQ(rule.weight(5.0f, -1e-3f), rule.weight(5.0f, 0.0f));
  EXPECT_EQ(rule.gain_of_root(0.1f, -1e-3f), rule.gain_of_root(0.1f, 0.0f));
  EXPECT_EQ(rule.gain_of_root(0.0f, 0.0f), 0.0f);
}

}  // namespace
