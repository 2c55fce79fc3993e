// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <string_view>
#include <vector>

#include <hogwild/detail/task/loss_bound.hpp>
#include <hogwild/detail/teams/thread_team.hpp>

namespace hogwild {

/// A lower bound of mean loss + l1 ||w||_1 + l2 / 2 ||w||^2, made from linear bounds of a convex mean loss. Each of
/// them holds everywhere, so any weighted mean of them does; and a linear bound plus l1 and l2 has its minimum in
/// closed form. It keeps one bound that combines all, each added with the weight that raises the minimum most: a bundle
/// of two, as in proximal bundle methods (Kiwiel, An aggregate subgradient method for nonsmooth convex minimization,
/// 1983). With l2 and a single bound made at w, the resulting distance is that of the gradient, ||gradient at w||^2 /
/// (2 l2).
class optimum_bound {
 public:
  /// The note if it gives no distance.
  static constexpr std::string_view silence =
      "without l2 and l1 the distance from the optimum is unknown, so the tolerance does not end the run; give an l2, "
      "or tolerance_epochs, the number of epochs without progress after which to stop";

  optimum_bound(double l1, double l2) : l1_(l1), l2_(l2) {}

  /// Without l1 and l2 a linear bound has no minimum, so only the least loss is known.
  bool tells() const { return l1_ > 0.0 || l2_ > 0.0; }

  /// Takes a bound of the same rows into account; the same bits for any number of threads.
  void take(const loss_bound& now, thread_team& threads);

  /// No parameters have a lower objective; minus infinity before the first bound.
  double lowest() const { return lowest_; }
  /// An upper bound of (objective - optimum) / |objective|; never negative.
  double gap(double objective) const { return objective > lowest_ ? (objective - lowest_) / std::abs(objective) : 0.0; }

  /// The state for a checkpoint: everything but l1 and l2.
  std::vector<double> state() const;
  void go_on(std::vector<double> state);

 private:
  void flatten(thread_team& threads);
  /// The minimum of a linear bound with l1 and l2.
  double minimum(double at_zero, const std::vector<double>& slope, const std::vector<double>& to, double part,
                 thread_team& threads) const;

  double l1_, l2_;
  double lowest_ = -HUGE_VAL, at_zero_ = -HUGE_VAL, least_ = -HUGE_VAL;
  std::vector<double> slope_{};
  std::size_t width_ = 1;
};

}  // namespace hogwild
