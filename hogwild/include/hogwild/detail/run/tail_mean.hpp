// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace hogwild {

/// The mean of the parameters at the ends of a run's last epochs: a tail average (Polyak and Juditsky, Acceleration of
/// stochastic approximation by averaging, 1992), sampled once an epoch. A default-constructed one is empty.
class tail_mean {
 public:
  tail_mean() = default;
  /// The mean over the last `fraction` of the epochs, in (0, 1], rounded to whole epochs.
  tail_mean(double fraction, std::size_t epochs)
      : first_(epochs + 1 - static_cast<std::size_t>(std::round(fraction * static_cast<double>(epochs)))),
        last_(epochs) {}

  std::size_t epochs() const { return last_ + 1 - first_; }
  /// Whether it includes epoch e, which counts from 1.
  bool takes(std::size_t e) const { return first_ <= e && e <= last_; }
  /// Each included epoch is added once, in their order.
  void add(std::span<const float> parameters) {
    sums_.resize(parameters.size());
    std::ranges::transform(parameters, sums_, sums_.begin(), [](float w, double sum) { return sum + double{w}; });
    ++count_;
  }
  std::size_t added() const { return count_; }
  std::vector<float> value() const {
    std::vector<float> mean(sums_.size());
    const double by = 1.0 / static_cast<double>(count_);
    std::ranges::transform(sums_, mean.begin(), [by](double sum) { return static_cast<float>(sum * by); });
    return mean;
  }

  /// The sums over added() epochs; both together are its state for a checkpoint.
  std::span<const double> sums() const { return sums_; }
  void go_on(std::vector<double> sums, std::size_t added) {
    sums_ = std::move(sums);
    count_ = added;
  }

 private:
  std::size_t first_ = 1, last_ = 0;
  std::size_t count_ = 0;
  std::vector<double> sums_{};
};

}  // namespace hogwild
