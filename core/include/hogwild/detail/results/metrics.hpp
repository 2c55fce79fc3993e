// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>

// How good predictions are. Plain functions: they read their arguments and keep nothing, so any thread may call them.
// Throughout, scores and labels have the same length (else config_error), entry by entry the same row.

namespace hogwild {

/// Two classes, +1 and -1, against the sign of a score. A score of zero (or NaN) decides nothing and counts as an error
/// of whichever class the row has.
struct confusion {
  std::size_t true_positive = 0, false_positive = 0, true_negative = 0, false_negative = 0;

  std::size_t rows() const { return true_positive + false_positive + true_negative + false_negative; }
  double accuracy() const;   ///< fraction of right rows; 0 without rows
  double precision() const;  ///< right rows among those called +1; 0 where none was
  double recall() const;     ///< rows called +1 among those that are; 0 where none is
  /// 2 tp / (2 tp + fp + fn): the harmonic mean of precision and recall for the class +1; 0 where all three are 0.
  double f1() const;

  bool operator==(const confusion&) const = default;
};

/// Counts from margins and labels; a label above zero is +1, every other -1.
confusion count_confusion(std::span<const float> scores, std::span<const float> labels);

/// The exact area under the ROC curve: the fraction of (positive, negative) pairs that the scores put in the right
/// order, ties counting half. Nothing where one of the classes has no row, or a score is NaN. O(n log n), up to 4e9
/// rows. Throws resource_error where threads of oneTBB are not available.
std::optional<double> area_under_curve(std::span<const float> scores, std::span<const float> labels);

/// Fraction of rows whose prediction (a class number, say) equals the label; 0 without rows.
double accuracy(std::span<const float> predictions, std::span<const float> labels);

/// Root of the mean squared difference; 0 without rows.
double rmse(std::span<const float> predictions, std::span<const float> labels);

}  // namespace hogwild
