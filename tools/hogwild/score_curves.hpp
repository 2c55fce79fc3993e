// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

// Curves of scores of two labels: a row is taken for the larger label if its score is at least a threshold, which falls
// from above all scores to the least one. Rows of a weight k count as k rows.

namespace hogwild::cli {

/// A point of a curve; both coordinates are fractions, from 0 to 1.
struct curve_point {
  double x, y;
};

/// The rows that are taken for the larger label at each threshold.
class ranked_rows {
 public:
  /// One score and one label a row, and a weight or none; a label above zero is the larger one. Scores are finite.
  /// Throws config_error if a label has no weight.
  ranked_rows(std::span<const float> scores, std::span<const float> labels, std::span<const float> weights);

  /// The true-positive rate over the false-positive rate, from (0, 0) to (1, 1). The area under it is the AUC, less
  /// than 0.001 off, because points are left out: there are at most 1,026.
  std::vector<curve_point> roc() const;
  /// The precision over the recall, in steps, from recall 0 to all rows at recall 1; at most 1,028 points. The
  /// precision at recall 0 is that at the first threshold.
  std::vector<curve_point> precision_recall() const;
  /// The fraction of the larger label's rows that are taken over the fraction of all rows, from (0, 0) to (1, 1).
  std::vector<curve_point> gains() const;

  /// The sum over the thresholds of the precision times what the recall has risen since the one before, as in
  /// scikit-learn.
  double average_precision() const;
  /// The fraction of the larger label's rows among the `part` of all rows with the highest scores; rows of equal scores
  /// are taken in proportion.
  double gain_at(double part) const;
  /// The fraction of rows with the larger label.
  double base_rate() const { return taken_.back().positive / (taken_.back().positive + taken_.back().negative); }

 private:
  struct counts {
    double positive, negative;
  };

  curve_point roc_at(std::size_t k) const;
  curve_point gain_point(std::size_t k) const;
  double precision_at(std::size_t k) const { return taken_[k].positive / (taken_[k].positive + taken_[k].negative); }
  double recall_at(std::size_t k) const { return taken_[k].positive / taken_.back().positive; }

  std::vector<counts> taken_;  ///< at each threshold: none, then one more score each
};

}  // namespace hogwild::cli
