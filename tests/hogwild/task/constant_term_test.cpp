// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/task/constant_term.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/engines/thread_team.hpp>
#include <hogwild/detail/optimization/random.hpp>
#include <hogwild/models.hpp>

namespace hogwild {
namespace {

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
  // Rows that are gone hold it where it was.
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
    // Two ranks with the same rows say everything twice.
    const rank_sums twice = [](std::span<double> x) {
      for (double& each : x) each *= 2.0;
    };
    EXPECT_EQ(minimise_constant(loss, {margin, label}, {}, *one, twice), alone);
  }
}

}  // namespace
}  // namespace hogwild
