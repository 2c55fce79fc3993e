// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/math/calibration.hpp>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/error.hpp>

namespace hogwild {
namespace {

struct drawn_rows {
  std::vector<double> margins{};
  std::vector<float> labels{};
};

/// Margins whose larger label has the probability 1 / (1 + exp(slope * margin + intercept)).
drawn_rows draw(std::size_t rows, double slope, double intercept) {
  std::mt19937_64 random(5);
  drawn_rows made;
  for (std::size_t r = 0; r < rows; ++r) {
    const double margin = std::uniform_real_distribution(-3.0, 3.0)(random);
    const double p = 1 / (1 + std::exp(slope * margin + intercept));
    made.margins.push_back(margin);
    made.labels.push_back(std::uniform_real_distribution(0.0, 1.0)(random) < p ? 1.0f : -1.0f);
  }
  return made;
}

TEST(platt, finds_the_sigmoid_that_drew_the_labels) {
  const drawn_rows rows = draw(200000, -1.7, 0.6);
  const calibration fitted = fit_calibration(calibration_kind::platt, rows.margins, rows.labels);
  EXPECT_NEAR(fitted.slope, -1.7, 0.03);
  EXPECT_NEAR(fitted.intercept, 0.6, 0.03);
}

TEST(platt, is_where_the_gradient_of_its_cross_entropy_is_0) {
  const drawn_rows rows = draw(500, -4.0, 1.0);
  double positive = 0;
  for (const float label : rows.labels) positive += label > 0 ? 1 : 0;
  const double negative = 500 - positive;
  const calibration fitted = fit_calibration(calibration_kind::platt, rows.margins, rows.labels);
  double of_slope = 0, of_intercept = 0;
  for (std::size_t r = 0; r < 500; ++r) {
    const double target = rows.labels[r] > 0 ? (positive + 1) / (positive + 2) : 1 / (negative + 2);
    const double difference = target - fitted.probability(rows.margins[r]);
    of_slope += difference * rows.margins[r], of_intercept += difference;
  }
  EXPECT_NEAR(of_slope, 0, 1e-7);
  EXPECT_NEAR(of_intercept, 0, 1e-7);
}

TEST(platt, does_not_depend_on_the_unit_of_margins) {
  const drawn_rows rows = draw(300, -1.0, 0.2);
  const calibration fitted = fit_calibration(calibration_kind::platt, rows.margins, rows.labels);
  for (const double unit : {1e-12, 1e12}) {
    std::vector<double> scaled;
    for (const double margin : rows.margins) scaled.push_back(margin * unit);
    const calibration same = fit_calibration(calibration_kind::platt, scaled, rows.labels);
    EXPECT_NEAR(same.slope * unit, fitted.slope, 1e-9);
    EXPECT_NEAR(same.intercept, fitted.intercept, 1e-9);
  }
}

TEST(platt, is_finite_where_a_margin_separates_the_labels_or_all_are_equal) {
  const std::vector<float> labels{-1, -1, 1, 1};
  const calibration apart = fit_calibration(calibration_kind::platt, std::vector<double>{-2, -1, 1, 2}, labels);
  EXPECT_LT(apart.probability(-2), 0.3);
  EXPECT_GT(apart.probability(2), 0.7);
  EXPECT_LT(apart.probability(2), 1);
  const calibration flat = fit_calibration(calibration_kind::platt, std::vector<double>{0, 0, 0, 0}, labels);
  EXPECT_NEAR(flat.probability(0), 0.5, 1e-9);
  EXPECT_EQ(apart.fault() + flat.fault(), "");
}

TEST(isotonic, pools_adjacent_violators) {
  const calibration fitted = fit_calibration(calibration_kind::isotonic, std::vector<double>{5, 1, 2, 3, 4, 6},
                                             std::vector<float>{1, -1, 1, -1, -1, 1});
  EXPECT_EQ(fitted.margins, (std::vector<double>{1, 2, 4, 5, 6}));
  EXPECT_DOUBLE_EQ(fitted.probability(1), 0);
  for (const double inside : {2.0, 3.0, 4.0}) EXPECT_DOUBLE_EQ(fitted.probability(inside), 1.0 / 3);
  EXPECT_DOUBLE_EQ(fitted.probability(1.5), 1.0 / 6) << "linear between two margins";
  EXPECT_DOUBLE_EQ(fitted.probability(4.5), 2.0 / 3);
  EXPECT_EQ(fitted.probability(-1e300), 0) << "outside: that of the nearest margin";
  EXPECT_EQ(fitted.probability(std::numeric_limits<double>::infinity()), 1);
  EXPECT_TRUE(std::isnan(fitted.probability(std::numeric_limits<double>::quiet_NaN())));
}

TEST(isotonic, of_margins_against_the_labels_is_their_mean) {
  const calibration fitted =
      fit_calibration(calibration_kind::isotonic, std::vector<double>{1, 2, 3, 4}, std::vector<float>{1, 1, 1, -1});
  for (const double margin : {0.0, 2.5, 9.0}) EXPECT_DOUBLE_EQ(fitted.probability(margin), 0.75);
}

TEST(calibrations, count_a_row_of_weight_2_twice_and_one_of_weight_0_never) {
  const std::vector<double> margins{-1, 0, 1, 2, 9};
  const std::vector<float> labels{-1, 1, -1, 1, -1}, weights{1, 2, 1, 1, 0};
  for (const calibration_kind kind : {calibration_kind::platt, calibration_kind::isotonic}) {
    const calibration weighted = fit_calibration(kind, margins, labels, weights);
    const calibration repeated =
        fit_calibration(kind, std::vector<double>{-1, 0, 0, 1, 2}, std::vector<float>{-1, 1, 1, -1, 1});
    for (double margin = -2; margin <= 3; margin += 0.25)
      EXPECT_NEAR(weighted.probability(margin), repeated.probability(margin), 1e-9) << name_of(kind);
  }
}

TEST(calibrations, are_refused_for_rows_of_one_label_and_margins_that_are_not_finite) {
  const std::vector<double> margins{0, 1};
  const std::vector<float> one{1, 1}, both{1, -1}, none{1, 0};
  for (const calibration_kind kind : {calibration_kind::platt, calibration_kind::isotonic}) {
    EXPECT_THROW(fit_calibration(kind, margins, one), config_error);
    EXPECT_THROW(fit_calibration(kind, margins, both, none), config_error);
    EXPECT_THROW(fit_calibration(kind, std::vector<double>{0, std::numeric_limits<double>::infinity()}, both),
                 config_error);
  }
}

TEST(calibrations, say_what_is_wrong_with_their_numbers) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(calibration{}.fault(), "");
  EXPECT_NE((calibration{.kind = calibration_kind::platt, .slope = nan}).fault(), "");
  const auto isotonic = [](std::vector<double> margins, std::vector<double> probabilities) {
    return calibration{
        .kind = calibration_kind::isotonic, .margins = std::move(margins), .probabilities = std::move(probabilities)}
        .fault();
  };
  EXPECT_EQ(isotonic({0, 1}, {0.5, 0.5}), "");
  EXPECT_NE(isotonic({}, {}), "");
  EXPECT_NE(isotonic({0, 1}, {0.5}), "");
  EXPECT_NE(isotonic({1, 1}, {0, 1}), "");
  EXPECT_NE(isotonic({0, nan}, {0, 1}), "");
  EXPECT_NE(isotonic({0, 1}, {0.6, 0.5}), "");
  EXPECT_NE(isotonic({0, 1}, {0, 1.5}), "");
  EXPECT_NE(isotonic({0, 1, 2}, {0, nan, 1}), "");
}

}  // namespace
}  // namespace hogwild
