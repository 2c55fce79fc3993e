// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <hogwild/detail/task/constant_term.hpp>
#include <hogwild/models/softmax.hpp>

namespace hogwild {

/// What rows say of the constants of a linear model of several classes: the gradient of their loss by these, and its
/// curvature. Sums are of whole multiples of 2^-32, so that neither their order nor rows that count for nothing change
/// a bit. Of a few classes the curvature is whole, of many its diagonal: the loss curves no more than by twice that.
class class_sums {
 public:
  explicit class_sums(const softmax& m);

  /// Adds a row that has these scores, which become something else, and these classes.
  void add(float* scores, std::span<const std::uint32_t> given, float weight);
  /// The same of a row whose scores are all 0.
  void add_unscored(std::span<const std::uint32_t> given, float weight);
  void add(const class_sums& other);
  /// Takes the sums over all ranks in the place of its own, and so for `more`.
  void agree(const rank_sums& sum, std::span<double> more);

  /// Whether the mean prediction of each class is that of the labels, to 1e-5 of it.
  bool are_zero() const;
  /// Newton's step for the constants, no longer than is sound.
  std::vector<double> step() const;
  /// The constants that suit rows without scores; each class counts as half a row at least.
  std::vector<float> of_unscored() const;

 private:
  std::vector<double> solved() const;
  double number(std::int64_t sum) const { return static_cast<double>(sum) * unit; }

  static constexpr double unit = 0x1p-32;

  const softmax* model_;
  bool whole_;  ///< the curvature is
  std::vector<std::int64_t> target_, gradient_, curvature_;
  double weight_ = 0.0, rows_ = 0.0;
};

/// Moves the constants to where the mean loss of all rows is least, or nearer to there: by three steps at most, each
/// taken back where the loss rises by it. After each change of the constants all rows are gone through once.
class class_descent {
 public:
  /// From these constants, one of each class.
  explicit class_descent(std::vector<float> constants) : constants_(std::move(constants)) {}

  const std::vector<float>& constants() const { return constants_; }
  /// Takes what a pass by the constants has found: the losses of this process's rows and of all. Whether the constants
  /// have moved, so that there has to be another pass.
  bool take(const class_sums& sums, double loss_here, double loss_of_all);
  /// The loss of this process's rows, by the constants as they are, once no other pass has to be.
  double loss() const { return loss_; }

 private:
  std::vector<float> constants_, before_{};
  double loss_ = 0.0, loss_of_all_ = 0.0;
  int steps_ = 0;
};

}  // namespace hogwild
