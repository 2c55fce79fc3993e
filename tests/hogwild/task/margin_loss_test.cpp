// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/task/margin_loss.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/optimization/random.hpp>
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

}  // namespace
