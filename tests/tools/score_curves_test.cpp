// SPDX-License-Identifier: Apache-2.0
#include "hogwild/score_curves.hpp"

#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/results/metrics.hpp>
#include <hogwild/error.hpp>

namespace hogwild::cli {
namespace {

double area_under(const std::vector<curve_point>& points) {
  double sum = 0;
  for (std::size_t k = 1; k < points.size(); ++k)
    sum += (points[k].x - points[k - 1].x) * (points[k].y + points[k - 1].y) / 2;
  return sum;
}

TEST(score_curves, of_four_rows_are_what_one_draws_by_hand) {
  const ranked_rows ranked(std::vector<float>{0.9f, 0.1f, 0.8f, 0.4f}, std::vector<float>{1, -1, -1, 1}, {});
  EXPECT_DOUBLE_EQ(ranked.base_rate(), 0.5);
  EXPECT_DOUBLE_EQ(ranked.average_precision(), 0.5 * 1 + 0.5 * 2 / 3);
  EXPECT_DOUBLE_EQ(area_under(ranked.roc()), 0.75);
  EXPECT_DOUBLE_EQ(ranked.gain_at(0.25), 0.5);
  EXPECT_DOUBLE_EQ(ranked.gain_at(0.125), 0.25) << "a part of a step";
  EXPECT_DOUBLE_EQ(ranked.gain_at(0.75), 1.0);
  EXPECT_DOUBLE_EQ(area_under(ranked.precision_recall()), ranked.average_precision());
}

TEST(score_curves, of_equal_scores_are_one_step) {
  const ranked_rows ranked(std::vector<float>{1, 1, 1, 1}, std::vector<float>{1, -1, -1, -1}, {});
  EXPECT_EQ(ranked.roc().size(), 2u);
  EXPECT_DOUBLE_EQ(area_under(ranked.roc()), 0.5);
  EXPECT_DOUBLE_EQ(ranked.average_precision(), 0.25);
  EXPECT_DOUBLE_EQ(ranked.gain_at(0.1), 0.1);
}

TEST(score_curves, of_many_rows_have_few_points_and_the_same_area) {
  std::mt19937 random(1);
  for (const float tilt : {0.0f, 0.5f, 3.0f}) {
    for (const double rate : {0.5, 0.001}) {
      std::vector<float> scores, labels, weights;
      for (int r = 0; r < 50000; ++r) {
        labels.push_back(std::uniform_real_distribution(0.0, 1.0)(random) < rate ? 1.0f : -1.0f);
        scores.push_back(std::normal_distribution<float>(tilt * labels.back(), 1)(random));
        weights.push_back(static_cast<float>(random() % 3));
      }
      const ranked_rows ranked(scores, labels, weights);
      const auto roc = ranked.roc(), steps = ranked.precision_recall(), gains = ranked.gains();
      EXPECT_NEAR(area_under(roc), *area_under_curve(scores, labels, weights), 1e-3);
      EXPECT_LE(roc.size(), 1026u);
      EXPECT_LE(gains.size(), 1026u);
      EXPECT_LE(steps.size(), 1028u);
      for (const auto& curve : {roc, gains}) {
        EXPECT_EQ(curve.front().x + curve.front().y, 0);
        EXPECT_EQ(curve.back().x + curve.back().y, 2);
      }
      EXPECT_EQ(steps.front().x, 0);
      EXPECT_EQ(steps.back().x, 1);
      EXPECT_EQ(steps.back().y, ranked.base_rate());
    }
  }
}

TEST(score_curves, of_one_label_are_refused) {
  const std::vector<float> scores{1, 2}, labels{1, 1}, both{1, -1}, weights{1, 0};
  EXPECT_THROW(ranked_rows(scores, labels, {}), config_error);
  EXPECT_THROW(ranked_rows(scores, both, weights), config_error);
  EXPECT_THROW(ranked_rows({}, {}, {}), config_error);
}

}  // namespace
}  // namespace hogwild::cli
