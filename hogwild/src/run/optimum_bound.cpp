// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/optimum_bound.hpp>

#include <algorithm>
#include <cstddef>
#include <numbers>
#include <utility>

#include <hogwild/detail/task/vector_passes.hpp>

namespace hogwild {
namespace {

/// The sum over j of f(j), the same for any number of threads.
template <class F>
double sum_by_index(std::size_t n, thread_team& threads, const F& f) {
  std::vector<double> sums(n / (std::size_t{1} << 16) + 1);
  for_each_block(n, threads, [&](std::size_t first, std::size_t last, std::size_t block) {
    double sum = 0.0;
    for (std::size_t j = first; j < last; ++j) sum += f(j);
    sums[block] = sum;
  });
  double total = 0.0;
  for (const double sum : sums) total += sum;
  return total;
}

}  // namespace

/// The minimum of at_zero + <s, w> + l1 ||w||_1 + l2 / 2 ||w||^2 with s = slope + part (to - slope). With l2 it uses
/// the squares of what remains of each row's norm after l1. Without l2 it is minus infinity, unless l1 is at least as
/// large as each norm; if it is not, the bound is mixed with the constant bound until it is.
double optimum_bound::minimum(double at_zero, const std::vector<double>& slope, const std::vector<double>& to,
                              double part, thread_team& threads) const {
  const auto norm_of = [&](std::size_t row) {
    double sum = 0.0;
    for (std::size_t j = row * width_; j < (row + 1) * width_; ++j) {
      const double s = slope[j] + part * (to[j] - slope[j]);
      sum += s * s;
    }
    return std::sqrt(sum);
  };
  const std::size_t rows = slope.size() / width_;
  if (l2_ > 0.0) {
    const double squares = sum_by_index(rows, threads, [&](std::size_t row) {
      const double left = std::max(norm_of(row) - l1_, 0.0);
      return left * left;
    });
    return at_zero - squares / (2.0 * l2_);
  }
  double largest = 0.0;
  for (std::size_t row = 0; row < rows; ++row) largest = std::max(largest, norm_of(row));
  if (largest <= l1_) return at_zero;
  const double kept = l1_ / largest;
  return kept * at_zero + (1.0 - kept) * least_;
}

void optimum_bound::take(const loss_bound& now, thread_team& threads) {
  least_ = std::max(least_, now.least);
  lowest_ = std::max(lowest_, least_);
  if (!tells()) return;
  width_ = now.width;
  if (slope_.empty()) at_zero_ = now.at_zero, slope_ = now.slope;
  const auto with = [&](double part) {
    return minimum(at_zero_ + part * (now.at_zero - at_zero_), slope_, now.slope, part, threads);
  };
  double part = 1.0, best = with(1.0);
  if (l1_ == 0.0) {
    // A parabola in `part`.
    double lift = 0.0, bend = 0.0;
    lift = now.at_zero - at_zero_ - sum_by_index(slope_.size(), threads, [&](std::size_t j) {
                                      return slope_[j] * (now.slope[j] - slope_[j]);
                                    }) / l2_;
    bend = sum_by_index(slope_.size(), threads,
                        [&](std::size_t j) {
                          const double change = now.slope[j] - slope_[j];
                          return change * change;
                        }) /
           l2_;
    if (bend > 0.0) part = std::clamp(lift / bend, 0.0, 1.0);
    best = with(part);
  } else {
    // Concave in `part` (with l1 alone nearly so): golden section search.
    constexpr int sections = 16;
    constexpr double golden = std::numbers::phi - 1.0;
    double low = 0.0, high = 1.0, left = high - golden, right = golden;
    double at_left = with(left), at_right = with(right);
    for (int i = 0; i < sections; ++i) {
      if (at_left > at_right) {
        high = right, right = left, at_right = at_left;
        left = high - golden * (high - low), at_left = with(left);
      } else {
        low = left, left = right, at_left = at_right;
        right = low + golden * (high - low), at_right = with(right);
      }
    }
    for (const auto& [tried, lifted] :
         {std::pair{left, at_left}, std::pair{right, at_right}, std::pair{0.0, with(0.0)}})
      if (lifted > best) part = tried, best = lifted;
  }
  at_zero_ += part * (now.at_zero - at_zero_);
  for_each_block(slope_.size(), threads, [&](std::size_t first, std::size_t last, std::size_t) {
    for (std::size_t j = first; j < last; ++j) slope_[j] += part * (now.slope[j] - slope_[j]);
  });
  lowest_ = std::max(lowest_, best);
  flatten(threads);
}

/// Far from the optimum the bound is steep and its minimum low: mixing it with the constant bound raises the minimum.
void optimum_bound::flatten(thread_team& threads) {
  if (l1_ > 0.0 || !std::isfinite(least_)) return;
  const double squares = sum_by_index(slope_.size(), threads, [&](std::size_t j) { return slope_[j] * slope_[j]; });
  const double kept = (at_zero_ - least_) * l2_ / squares;
  if (!(kept > 0.0 && kept < 1.0)) return;
  at_zero_ = kept * at_zero_ + (1.0 - kept) * least_;
  for_each_block(slope_.size(), threads, [&](std::size_t first, std::size_t last, std::size_t) {
    for (std::size_t j = first; j < last; ++j) slope_[j] *= kept;
  });
  lowest_ = std::max(lowest_, minimum(at_zero_, slope_, slope_, 0.0, threads));
}

std::vector<double> optimum_bound::state() const {
  std::vector<double> all{lowest_, at_zero_, least_};
  all.insert(all.end(), slope_.begin(), slope_.end());
  return all;
}

void optimum_bound::go_on(std::vector<double> state) {
  constexpr std::size_t numbers = 3;
  if (state.size() < numbers) return;
  lowest_ = state[0], at_zero_ = state[1], least_ = state[2];
  slope_.assign(state.begin() + numbers, state.end());
}

}  // namespace hogwild
