// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

// Measures the quality of predictions. Plain functions: they read their arguments and keep nothing, so any thread may
// call them. Scores and labels have the same length (else config_error), and belong to the same rows entry by entry. So
// do weights, finite and >= 0, if given: a row of weight k counts as k rows.

namespace hogwild {

/// part / whole; 0 if the whole is 0.
inline double fraction(double part, double whole) {
  return whole == 0.0 ? 0.0 : part / whole;
}

/// The weight of row r: 1 if there are no weights.
inline double weight_of(std::span<const float> weights, std::size_t r) {
  return weights.empty() ? 1.0 : static_cast<double>(weights[r]);
}

/// Counts of rows of two classes, +1 and -1, by the sign of their scores. A score of zero (or NaN) decides nothing and
/// counts as an error for either class.
struct confusion {
  double true_positive = 0, false_positive = 0, true_negative = 0, false_negative = 0;

  double rows() const { return true_positive + false_positive + true_negative + false_negative; }
  double accuracy() const;   ///< fraction of correct rows; 0 without rows
  double precision() const;  ///< correct rows among those predicted as +1; 0 without any
  double recall() const;     ///< rows predicted as +1 among the rows of class +1; 0 without any
  /// 2 tp / (2 tp + fp + fn): the harmonic mean of precision and recall for the class +1; 0 if all three are 0.
  double f1() const;
  /// The correlation of predictions and classes, from -1 to 1 (Matthews 1975):
  /// (tp tn - fp fn) / sqrt((tp + fp) (tp + fn) (tn + fp) (tn + fn)); 0 if one of the sums is 0.
  double matthews() const;

  bool operator==(const confusion&) const = default;
};

/// Counts from margins and labels; a label above zero is +1, every other -1.
confusion count_confusion(std::span<const float> scores, std::span<const float> labels,
                          std::span<const float> weights = {});

/// The exact area under the ROC curve: the fraction of (positive, negative) pairs that the scores put in the right
/// order, where ties count half, and each pair counts times both weights. Nothing if the rows of a class have no
/// weight, or a score is NaN. O(n log n). Without weights exact up to 9e7 rows, and to 16 digits beyond. Throws
/// resource_error if threads of oneTBB are not available.
std::optional<double> area_under_curve(std::span<const float> scores, std::span<const float> labels,
                                       std::span<const float> weights = {});

/// The constants of propensities, which depend on the data: 0.5 and 0.4 suit Wikipedia, 0.6 and 2.6 Amazon, and these
/// others (Jain, Prabhu and Varma, Extreme multi-label loss functions, 2016).
struct propensity_curve {
  double a = 0.55, b = 1.5;  ///< a >= 0, b > 0
};

/// How much a hit of each class counts in propensity-scored measures: 1 / p = 1 + (ln N - 1) (b + 1)^a (n + b)^-a for a
/// class of n of the N training rows. p is the estimated chance that a label which suits a row was given to it, so rare
/// classes count more. Rows fewer than e give all classes 1.
std::vector<double> inverse_propensities(std::span<const std::uint32_t> class_rows, std::uint64_t rows,
                                         const propensity_curve& curve = {});

/// Measures rows with several classes each, against scores of all classes. One thread writes to it; add() combines
/// those of several threads, in any order.
class list_counts {
 public:
  static constexpr std::size_t most_best = 5;  ///< the largest k of precision_at()

  /// `inverse`: inverse_propensities(), which outlive this; empty: unknown.
  explicit list_counts(std::size_t classes, std::span<const double> inverse = {})
      : of_class_(classes), inverse_(inverse) {}

  /// Adds a row's scores, one for each class, and the classes that it has, distinct. The classes whose scores are above
  /// `decision` are predicted. Of equal scores the lower class's comes first; a NaN has no place in the order.
  void add(std::span<const float> scores, float decision, std::span<const std::uint32_t> given, float weight = 1.0f);
  void add(const list_counts& other);

  std::size_t classes() const { return of_class_.size(); }
  /// Mean over the rows of the fraction of the `k` (1 to 5) classes with the best scores that the row has; 0 without
  /// rows. Nothing if there are fewer classes.
  std::optional<double> precision_at(std::size_t k) const;
  /// The same with each hit counted by its inverse propensity, as a fraction of the best that any scores would reach on
  /// these rows. Nothing without propensities.
  std::optional<double> propensity_scored_precision_at(std::size_t k) const;
  /// 2 tp / (2 tp + fp + fn) over all pairs of a row and a class; 0 if all three are 0.
  double micro_f1() const {
    hits all;
    for (const hits& each : of_class_) all.right += each.right, all.said += each.said, all.given += each.given;
    return all.f1();
  }
  /// The mean over all classes of each one's F1, which is 0 for a class that no row has and for which none is predicted
  /// (scikit-learn's zero_division=0).
  double macro_f1() const {
    double sum = 0.0;
    for (const hits& each : of_class_) sum += each.f1();
    return fraction(sum, static_cast<double>(classes()));
  }

 private:
  struct hits {
    double right = 0, said = 0, given = 0;
    double f1() const { return fraction(2 * right, said + given); }
  };

  bool has_place(std::size_t k) const { return k > 0 && k <= std::min(classes(), most_best); }

  double rows_ = 0;
  std::array<double, most_best> right_at_{};  ///< rows that have the class in this place of the order by score
  std::vector<hits> of_class_;
  std::span<const double> inverse_;
  /// By place: the inverse propensities of classes that are right there, and of those that would be at best.
  std::array<double, most_best> scored_at_{}, best_at_{};
};

/// The best `most` classes by their scores, the best first; fewer if there are fewer classes, or if scores are NaN. Of
/// equal scores the lower class's comes first.
std::vector<std::uint32_t> best_classes(std::span<const float> scores, std::size_t most);

/// Fraction of rows whose prediction (a class number, say) equals the label; 0 without rows.
double accuracy(std::span<const float> predictions, std::span<const float> labels, std::span<const float> weights = {});

/// Root of the mean squared difference; 0 without rows.
double rmse(std::span<const float> predictions, std::span<const float> labels, std::span<const float> weights = {});

}  // namespace hogwild
