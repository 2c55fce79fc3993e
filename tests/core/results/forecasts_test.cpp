// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/results/forecasts.hpp>

#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include <gtest/gtest.h>

namespace hogwild {
namespace {

forecasts of_two(const std::vector<double>& probabilities, const std::vector<float>& labels) {
  forecasts made(labels.size());
  for (std::size_t r = 0; r < labels.size(); ++r) made.set(r, std::span(&probabilities[r], 1), labels[r]);
  return made;
}

TEST(forecasts, of_two_labels_are_about_the_larger_one) {
  const forecasts f = of_two({0.9, 0.8, 0.3, 0.4}, {1, -1, 1, -1});
  EXPECT_NEAR(brier_score(f), (0.01 + 0.64 + 0.49 + 0.16) / 4, 1e-15);
  EXPECT_NEAR(log_loss(f), -(std::log(0.9) + std::log(0.2) + std::log(0.3) + std::log(0.6)) / 4, 1e-15);
  EXPECT_TRUE(f.came(0));
  EXPECT_FALSE(f.came(1));
}

TEST(forecasts, of_several_classes_are_about_the_most_probable_one) {
  forecasts f(2);
  f.set(0, std::vector<double>{0.2, 0.5, 0.3}, 1);
  f.set(1, std::vector<double>{0.6, 0.3, 0.1}, 2);
  EXPECT_NEAR(brier_score(f), (0.04 + 0.25 + 0.09 + 0.36 + 0.09 + 0.81) / 2, 1e-15);
  EXPECT_NEAR(log_loss(f), -(std::log(0.5) + std::log(0.1)) / 2, 1e-15);
  // Each row is alone in its bin.
  EXPECT_NEAR(expected_calibration_error(f), (0.5 + 0.6) / 2, 1e-15);
}

TEST(forecasts, are_binned_by_their_probability_with_1_in_the_last_bin) {
  const forecasts f = of_two({0.0, 1.0 / 15, 0.0665, 0.999, 1.0}, {-1, 1, -1, 1, 1});
  const auto bins = reliability(f);
  EXPECT_EQ(bins[0].weight, 2);
  EXPECT_EQ(bins[1].weight, 1);
  EXPECT_EQ(bins[14].weight, 2);
  EXPECT_NEAR(bins[0].confidence, 0.0665 / 2, 1e-15);
  EXPECT_EQ(bins[0].came, 0);
  EXPECT_EQ(bins[1].came, 1);
}

TEST(forecasts, that_come_true_as_often_as_they_say_are_calibrated) {
  const forecasts right = of_two({0.25, 0.25, 0.25, 0.25, 0.75, 0.75, 0.75, 0.75}, {1, -1, -1, -1, 1, 1, 1, -1});
  EXPECT_NEAR(expected_calibration_error(right), 0, 1e-15);
  const forecasts sure = of_two({1, 1, 1, 1, 0, 0, 0, 0}, {1, -1, -1, -1, 1, 1, 1, -1});
  EXPECT_NEAR(expected_calibration_error(sure), 0.75, 1e-15);
}

TEST(forecasts, of_a_row_of_weight_2_count_twice) {
  const forecasts once = of_two({0.9, 0.8, 0.3}, {1, -1, 1}), twice = of_two({0.9, 0.8, 0.3, 0.3}, {1, -1, 1, 1});
  const std::vector<float> weights{1, 1, 2};
  EXPECT_NEAR(brier_score(once, weights), brier_score(twice), 1e-15);
  EXPECT_NEAR(log_loss(once, weights), log_loss(twice), 1e-15);
  EXPECT_NEAR(expected_calibration_error(once, weights), expected_calibration_error(twice), 1e-15);
}

TEST(forecasts, that_were_certain_and_wrong_have_a_finite_log_loss) {
  const forecasts f = of_two({0.0, 1.0}, {1, 1});
  EXPECT_NEAR(log_loss(f), -std::log(std::numeric_limits<double>::epsilon()) / 2, 1e-12);
  EXPECT_EQ(brier_score(f), 0.5);
  EXPECT_EQ(log_loss(forecasts(0)) + brier_score(forecasts(0)) + expected_calibration_error(forecasts(0)), 0);
}

}  // namespace
}  // namespace hogwild
