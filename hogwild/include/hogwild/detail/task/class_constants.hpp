// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <hogwild/detail/task/constant_term.hpp>
#include <hogwild/detail/task/linear_classes.hpp>

namespace hogwild {

/// Sums over rows for the constants of linear classes: the gradient and the curvature of the loss with respect to the
/// constants. Each term is a multiple of 2^-32, so that neither the order of the rows nor rows without weight change a
/// bit. With few classes the curvature is the whole matrix, with many its diagonal; the loss curves at most twice as
/// much as the diagonal.
class class_sums {
 public:
  explicit class_sums(const linear_classes& m);

  /// Adds a row of classes `given`; overwrites `slopes`, the derivatives of its loss with respect to the scores.
  void add(float* slopes, std::span<const std::uint32_t> given, float weight);
  /// The same for a row whose scores are all 0.
  void add_unscored(std::span<const std::uint32_t> given, float weight);
  void add(const class_sums& other);
  /// Replaces its own sums, and `more`, by the sums over all ranks.
  void agree(const rank_sums& sum, std::span<double> more);

  /// Whether the mean prediction of each class equals that of the labels, to 1e-5 of it.
  bool are_zero() const;
  /// Newton's step for the constants, of limited length.
  std::vector<double> step() const;
  /// The best constants for rows without scores; each class counts as at least half a row.
  std::vector<float> of_unscored() const;

 private:
  std::vector<double> solved() const;
  double number(std::int64_t sum) const { return static_cast<double>(sum) * unit; }

  static constexpr double unit = 0x1p-32;

  bool apart_;  ///< whether each class has a loss of its own
  bool whole_;  ///< whether the curvature is the whole matrix
  std::vector<std::int64_t> target_, gradient_, curvature_;
  double weight_ = 0.0, rows_ = 0.0;
};

/// Moves the constants towards the minimum of the mean loss of all rows, by at most three steps, and undoes a step that
/// raises the loss. Each change of the constants needs a pass over all rows.
class class_descent {
 public:
  /// Begins at these constants, one for each class.
  explicit class_descent(std::vector<float> constants) : constants_(std::move(constants)) {}

  const std::vector<float>& constants() const { return constants_; }
  /// Takes the results of a pass with the constants: the losses of this process's rows and of all rows. Returns whether
  /// the constants have moved, so that another pass is needed.
  bool take(const class_sums& sums, double loss_here, double loss_of_all);
  /// The loss of this process's rows with the final constants, once no other pass is needed.
  double loss() const { return loss_; }

 private:
  std::vector<float> constants_, before_{};
  double loss_ = 0.0, loss_of_all_ = 0.0;
  int steps_ = 0;
};

}  // namespace hogwild
