// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/results/metrics.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <hogwild/error.hpp>

namespace {

using hogwild::area_under_curve;
using hogwild::confusion;
using hogwild::count_confusion;
using floats = std::vector<float>;

TEST(metrics, auc_by_hand) {
  // Pairs (positive, negative): 0.8 beats 0.1 and 0.4; 0.35 beats 0.1 only. Three of four.
  EXPECT_EQ(area_under_curve(floats{0.1f, 0.4f, 0.35f, 0.8f}, floats{-1, -1, 1, 1}), 0.75);
  // One pair of four is a tie: 3.5 of 4.
  EXPECT_EQ(area_under_curve(floats{1, 2, 2, 3}, floats{-1, -1, 1, 1}), 0.875);
  EXPECT_EQ(area_under_curve(floats{5, 5, 5}, floats{1, -1, -1}), 0.5);
  EXPECT_EQ(area_under_curve(floats{1, 2}, floats{-1, 1}), 1.0);
  EXPECT_EQ(area_under_curve(floats{2, 1}, floats{-1, 1}), 0.0);
}

// Rows in any order, few and many; every second of the sorted ones is positive.
TEST(metrics, auc_of_rows_in_any_order) {
  for (const std::size_t positives : {500u, 20000u}) {
    floats scores, labels;
    for (std::size_t r = 0; r < 2 * positives; ++r) {
      const std::size_t place = r * 7919 % (2 * positives);  // each once: 7919 is a prime
      scores.push_back(static_cast<float>(place));
      labels.push_back(place % 2 == 1 ? 1.0f : -1.0f);
    }
    const auto n = static_cast<double>(positives);
    EXPECT_EQ(area_under_curve(scores, labels), n * (n + 1.0) / 2.0 / (n * n)) << positives;
  }
}

// A row of a whole weight against as many rows. Sums of whole numbers are exact, and so are quotients of equal ones.
RC_GTEST_PROP(metrics, a_row_of_weight_k_counts_as_k_rows, ()) {
  const auto rows = *rc::gen::inRange<std::size_t>(1, 40);
  floats scores, labels, weights, many_scores, many_labels;
  hogwild::list_counts weighed(3), repeated(3);
  for (std::size_t r = 0; r < rows; ++r) {
    const auto k = *rc::gen::inRange(0, 4);
    scores.push_back(static_cast<float>(*rc::gen::inRange(-3, 4)));
    labels.push_back(*rc::gen::arbitrary<bool>() ? 1.0f : -1.0f);
    weights.push_back(static_cast<float>(k));
    many_scores.insert(many_scores.end(), static_cast<std::size_t>(k), scores.back());
    many_labels.insert(many_labels.end(), static_cast<std::size_t>(k), labels.back());
    const floats of_classes{scores.back(), 0.5f, -0.5f};
    const std::vector<std::uint32_t> given{static_cast<std::uint32_t>(r % 3)};
    weighed.add(of_classes, 0.0f, given, weights.back());
    for (int i = 0; i < k; ++i) repeated.add(of_classes, 0.0f, given);
  }
  RC_ASSERT(count_confusion(scores, labels, weights) == count_confusion(many_scores, many_labels));
  RC_ASSERT(area_under_curve(scores, labels, weights) == area_under_curve(many_scores, many_labels));
  RC_ASSERT(hogwild::accuracy(scores, labels, weights) == hogwild::accuracy(many_scores, many_labels));
  RC_ASSERT(hogwild::rmse(scores, labels, weights) == hogwild::rmse(many_scores, many_labels));
  RC_ASSERT(weighed.precision_at(1) == repeated.precision_at(1));
  RC_ASSERT(weighed.micro_f1() == repeated.micro_f1());
  RC_ASSERT(weighed.macro_f1() == repeated.macro_f1());
}

TEST(metrics, auc_is_nothing_where_it_means_nothing) {
  EXPECT_EQ(area_under_curve(floats{1, 2}, floats{1, 1}), std::nullopt);
  EXPECT_EQ(area_under_curve(floats{1, 2}, floats{-1, -1}), std::nullopt);
  EXPECT_EQ(area_under_curve(floats{}, floats{}), std::nullopt);
  EXPECT_EQ(area_under_curve(floats{1, std::nanf("")}, floats{-1, 1}), std::nullopt);
  const float infinite = std::numeric_limits<float>::infinity();
  EXPECT_EQ(area_under_curve(floats{-infinite, 0, infinite}, floats{-1, -1, 1}), 1.0);
}

struct graded {
  floats scores, labels;
};

/// Few distinct scores, so that ties are common.
graded any_rows() {
  const auto picks = *rc::gen::container<std::vector<std::pair<int, bool>>>(
      rc::gen::pair(rc::gen::inRange(-6, 7), rc::gen::arbitrary<bool>()));
  graded rows;
  for (const auto& [score, positive] : picks) {
    rows.scores.push_back(static_cast<float>(score) / 4);
    rows.labels.push_back(positive ? 1.0f : -1.0f);
  }
  return rows;
}

std::optional<double> auc_by_definition(const graded& rows) {
  double ordered = 0, pairs = 0;
  for (std::size_t p = 0; p < rows.scores.size(); ++p) {
    for (std::size_t q = 0; q < rows.scores.size(); ++q) {
      if (rows.labels[p] < 0 || rows.labels[q] > 0) continue;
      pairs += 1;
      ordered += rows.scores[p] > rows.scores[q] ? 1 : rows.scores[p] == rows.scores[q] ? 0.5 : 0;
    }
  }
  return pairs == 0 ? std::nullopt : std::optional(ordered / pairs);
}

RC_GTEST_PROP(metrics, auc_equals_its_definition_over_all_pairs, ()) {
  const graded rows = any_rows();
  // Whole and half pairs are exact in double, and both divide the same numbers.
  RC_ASSERT(area_under_curve(rows.scores, rows.labels) == auc_by_definition(rows));
}

RC_GTEST_PROP(metrics, auc_does_not_change_under_monotone_maps, ()) {
  const graded rows = any_rows();
  graded bent = rows, turned = rows;
  for (float& s : bent.scores) s = std::exp(2 * s) - 7;
  for (float& s : turned.scores) s = -s;
  const auto auc = area_under_curve(rows.scores, rows.labels);
  RC_ASSERT(area_under_curve(bent.scores, rows.labels) == auc);
  const auto against = area_under_curve(turned.scores, rows.labels);
  RC_ASSERT(auc.has_value() == against.has_value());
  if (auc) RC_ASSERT(std::abs(*auc + *against - 1) < 1e-12);
}

TEST(metrics, confusion_by_hand) {
  const confusion counts = count_confusion(floats{2, 1, -1, 3, -2, -3, -4}, floats{1, 1, 1, -1, -1, -1, -1});
  EXPECT_EQ(counts, (confusion{.true_positive = 2, .false_positive = 1, .true_negative = 3, .false_negative = 1}));
  EXPECT_DOUBLE_EQ(counts.accuracy(), 5.0 / 7);
  EXPECT_DOUBLE_EQ(counts.precision(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(counts.recall(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(counts.f1(), 4.0 / 6);
  EXPECT_DOUBLE_EQ(counts.matthews(), 5.0 / 12);
}

TEST(metrics, a_score_that_decides_nothing_is_an_error_of_either_class) {
  const confusion counts = count_confusion(floats{0, 0, std::nanf(""), -0.0f}, floats{1, -1, 1, -1});
  EXPECT_EQ(counts, (confusion{.true_positive = 0, .false_positive = 2, .true_negative = 0, .false_negative = 2}));
  EXPECT_EQ(counts.accuracy(), 0);
  EXPECT_EQ(counts.f1(), 0);
  EXPECT_EQ(confusion{}.accuracy(), 0);
  EXPECT_EQ(confusion{}.f1(), 0);
  EXPECT_EQ(confusion{}.matthews(), 0);
}

RC_GTEST_PROP(metrics, every_row_is_counted_once_and_f1_is_the_harmonic_mean, ()) {
  const graded rows = any_rows();
  const confusion c = count_confusion(rows.scores, rows.labels);
  RC_ASSERT(c.rows() == rows.scores.size());
  if (c.true_positive > 0) RC_ASSERT(std::abs(c.f1() - 2 / (1 / c.precision() + 1 / c.recall())) < 1e-12);
}

/// Pearson's correlation of two variables that are 1 or -1, by its definition.
RC_GTEST_PROP(metrics, matthews_is_the_correlation_of_predictions_and_classes, ()) {
  const graded rows = any_rows();
  const confusion c = count_confusion(rows.scores, rows.labels);
  const double n = c.rows(), said = c.true_positive + c.false_positive, given = c.true_positive + c.false_negative;
  const double mean_said = said / n, mean_given = given / n;
  const double covariance = c.true_positive / n - mean_said * mean_given;
  const double variances = mean_said * (1 - mean_said) * mean_given * (1 - mean_given);
  RC_ASSERT(std::abs(c.matthews() * std::sqrt(variances) - covariance) < 1e-12 || n == 0);
  RC_ASSERT(std::abs(c.matthews()) < 1 + 1e-12);
}

TEST(metrics, matthews_is_1_for_right_predictions_and_0_where_one_class_is_missing) {
  EXPECT_EQ((confusion{.true_positive = 3, .true_negative = 5}).matthews(), 1);
  EXPECT_EQ((confusion{.false_positive = 3, .false_negative = 5}).matthews(), -1);
  EXPECT_EQ((confusion{.true_positive = 3, .false_positive = 5}).matthews(), 0);
  EXPECT_DOUBLE_EQ(
      (confusion{.true_positive = 4e9, .false_positive = 2e9, .true_negative = 6e9, .false_negative = 2e9}).matthews(),
      5.0 / 12)
      << "rows times rows are more than 2^53";
}

TEST(metrics, class_accuracy_and_rmse_by_hand) {
  EXPECT_EQ(hogwild::accuracy(floats{0, 1, 2, 2}, floats{0, 1, 1, 2}), 0.75);
  EXPECT_EQ(hogwild::accuracy(floats{}, floats{}), 0);
  EXPECT_DOUBLE_EQ(hogwild::rmse(floats{1, 2, 3}, floats{1, 4, 0}), std::sqrt(13.0 / 3));
  EXPECT_EQ(hogwild::rmse(floats{}, floats{}), 0);
}

TEST(metrics, best_classes_rank_by_score_then_by_number) {
  using ::testing::ElementsAre;
  EXPECT_THAT(hogwild::best_classes(floats{1, 3, 2, 3, -1}, 3), ElementsAre(1, 3, 2));
  EXPECT_THAT(hogwild::best_classes(floats{1, 1, 1}, 2), ElementsAre(0, 1));
  EXPECT_THAT(hogwild::best_classes(floats{0, NAN, 5}, 9), ElementsAre(2, 0));
  EXPECT_THAT(hogwild::best_classes(floats{2, 1}, 0), ElementsAre());
}

// Four rows of six classes; no row has the last class.
//   row 0 has {0, 1}, ranks 0 2 1 3 4, is predicted {0, 2}
//   row 1 has {2},    ranks 2 0 1 3 4, is predicted {2}
//   row 2 has {3, 4}, ranks 0 1 2 4 3, is predicted {0}
//   row 3 has {1},    ranks 1 0 2 3 4, is predicted none
TEST(metrics, of_lists_by_hand) {
  using classes = std::vector<std::uint32_t>;
  hogwild::list_counts first(6), second(6);
  first.add(floats{5, 2, 4, 1, 0, -1}, 3, classes{0, 1});
  first.add(floats{4, 3, 5, 2, 1, 0}, 4, classes{2});
  second.add(floats{5, 4, 3, 1, 2, 0}, 4.5f, classes{3, 4});
  second.add(floats{4, 5, 3, 2, 1, 0}, 6, classes{1});
  first.add(second);
  EXPECT_DOUBLE_EQ(first.precision_at(1).value(), 3.0 / 4);
  EXPECT_DOUBLE_EQ(first.precision_at(3).value(), (2 + 1 + 0 + 1) / 12.0);
  EXPECT_DOUBLE_EQ(first.precision_at(5).value(), (2 + 1 + 2 + 1) / 20.0);
  EXPECT_FALSE(first.precision_at(0) || first.precision_at(6));
  // Right: 0 and 2; predicted: 0, 2, 2, 0; given: six.
  EXPECT_DOUBLE_EQ(first.micro_f1(), 2.0 * 2 / (4 + 6));
  // Class 0: 2 / (2 + 1); 1: 0 / 2; 2: 2 / (2 + 1); 3 and 4: 0; 5, which no row has: 0.
  EXPECT_DOUBLE_EQ(first.macro_f1(), (2.0 / 3 + 2.0 / 3) / 6);
}

// N = 1,000 rows, of which the classes have 0, 1, 10 and 100; a = 1 and b = 1 for short numbers.
TEST(metrics, inverse_propensities_by_hand) {
  const double size = (std::log(1000.0) - 1.0) * 2.0;
  const auto inverse = hogwild::inverse_propensities(std::vector<std::uint32_t>{0, 1, 10, 100}, 1000, {1.0, 1.0});
  ASSERT_EQ(inverse.size(), 4u);
  constexpr std::array by = {1.0, 2.0, 11.0, 101.0};
  for (std::size_t k = 0; k < 4; ++k) EXPECT_DOUBLE_EQ(inverse[k], 1.0 + size / by[k]) << k;
  // The usual constants; two rows are too few for a curve.
  EXPECT_DOUBLE_EQ(hogwild::inverse_propensities(std::vector<std::uint32_t>{40}, 4880).front(),
                   1.0 + (std::log(4880.0) - 1.0) * std::pow(2.5, 0.55) * std::pow(41.5, -0.55));
  EXPECT_EQ(hogwild::inverse_propensities(std::vector<std::uint32_t>{2, 0}, 2), (std::vector<double>{1.0, 1.0}));
}

// The rows of of_lists_by_hand.
TEST(metrics, propensity_scored_precision_by_hand) {
  using classes = std::vector<std::uint32_t>;
  const std::vector<double> inverse{1, 2, 3, 4, 8, 16};
  hogwild::list_counts first(6, inverse), second(6, inverse);
  first.add(floats{5, 2, 4, 1, 0, -1}, 3, classes{0, 1});
  first.add(floats{4, 3, 5, 2, 1, 0}, 4, classes{2});
  second.add(floats{5, 4, 3, 1, 2, 0}, 4.5f, classes{3, 4});
  second.add(floats{4, 5, 3, 2, 1, 0}, 6, classes{1}, 2.0f);
  first.add(second);
  // Right at the first place: 0, 2, none, and 1 twice; at best 1, 2, 4, and 1 twice.
  EXPECT_DOUBLE_EQ(first.propensity_scored_precision_at(1).value(), (1 + 3 + 0 + 2 * 2.0) / (2 + 3 + 8 + 2 * 2));
  EXPECT_DOUBLE_EQ(first.propensity_scored_precision_at(3).value(), (3 + 3 + 0 + 2 * 2.0) / (3 + 3 + 12 + 2 * 2));
  EXPECT_DOUBLE_EQ(first.propensity_scored_precision_at(5).value(), (3 + 3 + 12 + 2 * 2.0) / (3 + 3 + 12 + 2 * 2));
  EXPECT_FALSE(first.propensity_scored_precision_at(0) || first.propensity_scored_precision_at(6));
  EXPECT_FALSE(hogwild::list_counts(6).propensity_scored_precision_at(1));
  EXPECT_EQ(hogwild::list_counts(6, inverse).propensity_scored_precision_at(1), 0.0);
  // Six labels, of which the five rarest count.
  hogwild::list_counts many(6, inverse);
  many.add(floats{6, 5, 4, 3, 2, 1}, 0, classes{0, 1, 2, 3, 4, 5});
  EXPECT_DOUBLE_EQ(many.propensity_scored_precision_at(5).value(), (1 + 2 + 3 + 4 + 8) / 33.0);
}

TEST(metrics, of_lists_without_rows_or_with_few_classes) {
  hogwild::list_counts none(4);
  EXPECT_EQ(none.precision_at(1), 0.0);
  EXPECT_EQ(none.micro_f1(), 0.0);
  EXPECT_EQ(none.macro_f1(), 0.0);
  EXPECT_FALSE(none.precision_at(5));
}

TEST(metrics, refuse_lengths_that_differ) {
  const floats one{1}, two{1, 2};
  EXPECT_THROW(area_under_curve(one, two), hogwild::config_error);
  EXPECT_THROW(count_confusion(one, two), hogwild::config_error);
  EXPECT_THROW(hogwild::accuracy(one, two), hogwild::config_error);
  EXPECT_THROW(hogwild::rmse(one, two), hogwild::config_error);
}

}  // namespace
