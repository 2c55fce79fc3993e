// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/loop/margin_loss.hpp>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/math/random.hpp>
#include <hogwild/detail/task/constant_term.hpp>
#include <hogwild/detail/teams/thread_team.hpp>
#include <hogwild/models.hpp>
#include <hogwild/models/epsilon_insensitive.hpp>
#include <hogwild/models/hinge_svm.hpp>
#include <hogwild/models/huber.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/poisson.hpp>
#include <hogwild/models/squared_epsilon_insensitive.hpp>

namespace {

using namespace hogwild;

template <class M>
class margin_loss_of : public testing::Test {};
using margin_models =
    testing::Types<logistic, hinge_svm, least_squares, huber, epsilon_insensitive, squared_epsilon_insensitive>;
TYPED_TEST_SUITE(margin_loss_of, margin_models);

std::vector<float> margins() {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> all{0.0f, -0.0f, 1.0f, -1.0f, infinity, -infinity, std::nanf(""), 1e-40f, -1e-40f, 3e38f, 88.7f};
  const counter_random random(3, 0);
  for (std::uint64_t i = 0; i < 2000; ++i) {
    all.push_back(static_cast<float>(240.0 * random.uniform(2 * i) - 120.0));
    all.push_back(static_cast<float>(4.0 * random.uniform(2 * i + 1) - 2.0));
  }
  return all;
}

/// The same bits, or both NaN.
bool same(float a, float b) {
  return (std::isnan(a) && std::isnan(b)) || std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

// A model may have a quicker form, as the logistic one has.
TYPED_TEST(margin_loss_of, losses_are_loss_within_single_precision) {
  const TypeParam model{};
  const margin_loss loss(model);
  std::vector<float> margin = margins(), label(margin.size());
  for (std::size_t i = 0; i < label.size(); ++i) label[i] = i % 3 == 0 ? 1.0f : -1.0f;
  for (std::size_t n = 0; n <= 33; ++n) {
    for (std::size_t at = 0; at + n <= margin.size(); at += n + 1) {
      std::vector<double> made(n + 1, 42.0);
      loss.losses(n, margin.data() + at, label.data() + at, made.data());
      for (std::size_t i = 0; i < n; ++i) {
        const double alone = model.loss(margin[at + i], label[at + i]);
        if (std::isnan(alone) || std::isinf(alone))
          ASSERT_FALSE(std::isfinite(made[i])) << margin[at + i];
        else
          ASSERT_NEAR(made[i], alone, 3e-7 * alone + 1e-37) << margin[at + i];
      }
      ASSERT_EQ(made[n], 42.0);
    }
  }
}

TYPED_TEST(margin_loss_of, derivatives_are_derivative_bit_for_bit) {
  const TypeParam model{};
  const margin_loss loss(model);
  const std::vector<float> margin = margins();
  std::vector<float> label(margin.size());
  for (std::size_t i = 0; i < label.size(); ++i) label[i] = i % 3 == 0 ? 1.0f : -1.0f;
  // Every length of a batch, at every alignment.
  for (std::size_t n = 0; n <= 33; ++n) {
    for (std::size_t at = 0; at + n <= margin.size(); at += n + 1) {
      std::vector<float> slope(n + 1, 42.0f);
      loss.derivatives(n, margin.data() + at, label.data() + at, slope.data());
      for (std::size_t i = 0; i < n; ++i) {
        const float alone = model.derivative(margin[at + i], label[at + i]);
        ASSERT_TRUE(same(slope[i], alone)) << margin[at + i] << ": " << slope[i] << " and " << alone;
        ASSERT_TRUE(same(loss.derivative(margin[at + i], label[at + i]), alone));
      }
      ASSERT_EQ(slope[n], 42.0f);
    }
  }
}

TYPED_TEST(margin_loss_of, slopes_may_take_the_place_of_the_margins) {
  const TypeParam model{};
  const margin_loss loss(model);
  std::vector<float> values{-2.0f, -0.5f, 0.0f, 0.5f, 2.0f};
  const std::vector<float> margin = values, label{1.0f, -1.0f, 1.0f, -1.0f, 1.0f};
  loss.derivatives(values.size(), values.data(), label.data(), values.data());
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], model.derivative(margin[i], label[i]));
}

/// Squares, by loops of its own.
struct squares_by_rows {
  mutable std::size_t slope_calls = 0, loss_calls = 0;
  double loss(float margin, float label) const { return std::pow(static_cast<double>(margin - label), 2.0); }
  float derivative(float margin, float label) const { return 2.0f * (margin - label); }
  void derivatives(std::size_t n, const float* margin, const float* label, float* slope) const {
    ++slope_calls;
    for (std::size_t i = 0; i < n; ++i) slope[i] = derivative(margin[i], label[i]);
  }
  void losses(std::size_t n, const float* margin, const float* label, double* lost) const {
    ++loss_calls;
    for (std::size_t i = 0; i < n; ++i) lost[i] = loss(margin[i], label[i]);
  }
};

TEST(margin_loss_by_rows, a_model_with_loops_of_its_own_is_called_once_for_all_rows) {
  const squares_by_rows model;
  const margin_loss loss(model);
  std::vector<float> values{-2.0f, -0.5f, 0.0f, 0.5f, 2.0f};
  const std::vector<float> label(values.size(), 1.0f);
  std::vector<double> lost(values.size());
  loss.losses(values.size(), values.data(), label.data(), lost.data());
  loss.derivatives(values.size(), values.data(), label.data(), values.data());
  EXPECT_EQ(model.slope_calls, 1u);
  EXPECT_EQ(model.loss_calls, 1u);
  EXPECT_EQ(values, (std::vector<float>{-6.0f, -3.0f, -2.0f, -1.0f, 2.0f}));
  EXPECT_EQ(lost, (std::vector<double>{9.0, 2.25, 1.0, 0.25, 1.0}));
  EXPECT_EQ(loss.derivative(3.0f, 1.0f), 4.0f);
}

struct renamed : logistic {};

struct shifted : logistic {
  double loss(float margin, float label) const { return 10.0 + logistic::loss(margin, label); }
};

struct doubled : poisson {
  double loss(float margin, float label) const { return 2.0 * poisson::loss(margin, label); }
  float derivative(float margin, float label) const { return 2.0f * poisson::derivative(margin, label); }
};

// Loops over rows and bounds of a base are not those of another loss.
TEST(margin_loss, of_a_model_that_derives_from_another_is_its_own) {
  const float margin[] = {0.5f, -2.0f}, label[] = {1.0f, 1.0f};
  const auto losses_of = [&](const auto& model) {
    std::vector<double> made(2);
    margin_loss(model).losses(2, margin, label, made.data());
    return made;
  };
  EXPECT_EQ(losses_of(renamed{}), losses_of(logistic{}));
  EXPECT_EQ(losses_of(shifted{}),
            (std::vector<double>{10.0 + logistic{}.loss(0.5f, 1.0f), 10.0 + logistic{}.loss(-2.0f, 1.0f)}));
  EXPECT_TRUE(margin_loss(poisson{}).says_smoothness());
  EXPECT_FALSE(margin_loss(doubled{}).says_smoothness());
  EXPECT_NE(margin_loss(poisson{}).least(3.0f), 0.0);
  EXPECT_EQ(margin_loss(doubled{}).least(3.0f), 0.0) << "nothing is said";
}

struct constant_term : testing::Test {
  std::unique_ptr<thread_team> one = thread_team::make(thread_team_kind::std, 1, false);

  template <class M>
  float found(const M& m, const margins_of_rows& rows, const known_constant& known = {}) {
    return minimise_constant(margin_loss(m), rows, known, *one);
  }
};

TEST_F(constant_term, of_squares_is_the_weighed_mean_of_what_is_left) {
  const std::vector<float> margin{1.0f, -2.0f, 0.5f}, label{101.0f, 99.0f, 103.0f}, offset{0.0f, 1.0f, -1.0f},
      weight{1.0f, 3.0f, 0.0f};
  EXPECT_FLOAT_EQ(found(least_squares{}, {margin, label}), (100.0f + 101.0f + 102.5f) / 3.0f);
  EXPECT_FLOAT_EQ(found(least_squares{}, {margin, label, offset, weight}), (100.0f + 3.0f * 100.0f) / 4.0f);
  // Earlier rows keep it near its old value.
  EXPECT_FLOAT_EQ(found(least_squares{}, {margin, label, offset, weight}, {.value = 60.0f, .rows_before = 4.0}), 80.0f);
}

TEST_F(constant_term, of_probabilities_and_counts_makes_their_mean_that_of_the_labels) {
  const counter_random random(3, 1);
  std::vector<float> margin(2000), binary(2000), counts(2000);
  for (std::size_t r = 0; r < margin.size(); ++r) {
    margin[r] = static_cast<float>(6.0 * random.uniform(3 * r) - 3.0);
    binary[r] = random.uniform(3 * r + 1) < 0.03 ? 1.0f : -1.0f;
    counts[r] = static_cast<float>(std::floor(1000.0 * random.uniform(3 * r + 2)));
  }
  double of_classes = 0.0, of_counts = 0.0, positive = 0.0, count = 0.0;
  const float c = found(logistic{}, {margin, binary}), d = found(poisson{}, {margin, counts});
  for (std::size_t r = 0; r < margin.size(); ++r) {
    of_classes += 1.0 / (1.0 + std::exp(-static_cast<double>(margin[r] + c)));
    of_counts += std::exp(static_cast<double>(margin[r] + d));
    positive += binary[r] > 0.0f ? 1.0 : 0.0, count += static_cast<double>(counts[r]);
  }
  EXPECT_NEAR(of_classes, positive, 1e-4 * positive);
  EXPECT_NEAR(of_counts, count, 1e-4 * count);
}

TEST_F(constant_term, of_a_loss_with_kinks_is_a_quantile_however_far_away) {
  for (const float around : {0.0f, -3e4f, 1e6f}) {
    std::vector<float> margin(1001, 0.0f), label;
    for (int r = 0; r < 1001; ++r) label.push_back(around + static_cast<float>((r * 733) % 1001));
    EXPECT_NEAR(found(quantile{.q = 0.25f}, {margin, label}), around + 250.0f, 0.5f) << around;
    EXPECT_NEAR(found(epsilon_insensitive{.epsilon = 0.5f}, {margin, label}), around + 500.0f, 1.0f) << around;
  }
}

TEST_F(constant_term, goes_so_far_that_little_is_left_where_all_labels_are_the_same) {
  const std::vector<float> margin(50, 0.0f), label(50, 1.0f), none(50, 0.0f);
  const float c = found(logistic{}, {margin, label});
  EXPECT_GT(c, 10.0f);
  EXPECT_LT(c, 60.0f);
  EXPECT_EQ(found(logistic{}, {margin, label}, {.value = c}), c);
  EXPECT_LT(found(poisson{}, {margin, none}), -10.0f);
  EXPECT_EQ(found(least_squares{}, {}, {.value = 3.0f}), 3.0f);
}

// Sums of ranks are those of one that has all rows, but for the order of a few additions.
TEST_F(constant_term, is_the_same_for_any_number_of_threads_and_for_ranks) {
  const counter_random random(7, 1);
  std::vector<float> margin(40'000), label(40'000);
  for (std::size_t r = 0; r < margin.size(); ++r) {
    margin[r] = static_cast<float>(random.uniform(2 * r) - 0.5);
    label[r] = random.uniform(2 * r + 1) < 0.2 ? 1.0f : -1.0f;
  }
  const auto several = thread_team::make(thread_team_kind::std, 3, false);
  const logistic smooth;
  const hinge_svm with_kinks;
  for (const margin_loss& loss : {margin_loss(smooth), margin_loss(with_kinks)}) {
    const float alone = minimise_constant(loss, {margin, label}, {}, *one);
    EXPECT_EQ(minimise_constant(loss, {margin, label}, {}, *several), alone);
    // Two ranks with the same rows double every sum.
    const rank_sums twice = [](std::span<double> x) {
      for (double& each : x) each *= 2.0;
    };
    EXPECT_EQ(minimise_constant(loss, {margin, label}, {}, *one, twice), alone);
  }
}

}  // namespace
