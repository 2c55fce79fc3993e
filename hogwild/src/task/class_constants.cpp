// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/task/class_constants.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace hogwild {

namespace {

/// With at most this many classes the curvature is the whole matrix, which costs a row no more than its entries do.
constexpr std::size_t most_whole_classes = 32;
constexpr double negligible_gradient = 1e-5, longest_constant_step = 4.0;
constexpr int most_constant_steps = 3;

std::int64_t units_of(double x) {
  return std::llround(x * 0x1p32);
}

}  // namespace

class_sums::class_sums(const linear_classes& m)
    : apart_(m.of_each.has_value()),
      whole_(!apart_ && m.classes <= most_whole_classes),
      target_(m.classes),
      gradient_(m.classes),
      curvature_(whole_ ? m.classes * m.classes : m.classes) {}

void class_sums::add(float* slopes, std::span<const std::uint32_t> given, float weight) {
  if (weight == 0.0f) return;
  const std::size_t n = gradient_.size();
  const double w = static_cast<double>(weight);
  const float part = apart_ ? 1.0f : 1.0f / static_cast<float>(given.size());
  for (std::size_t k = 0; k < n; ++k) gradient_[k] += units_of(w * static_cast<double>(slopes[k]));
  for (const std::uint32_t y : given) {
    target_[y] += units_of(w * static_cast<double>(part));
    slopes[y] += part;  // the prediction
  }
  for (std::size_t k = 0; k < n; ++k) {
    const double p = static_cast<double>(slopes[k]);
    curvature_[whole_ ? k * n + k : k] += units_of(w * p * (1.0 - p));
    for (std::size_t l = 0; whole_ && l < k; ++l)
      curvature_[k * n + l] -= units_of(w * p * static_cast<double>(slopes[l]));
  }
  weight_ += w;
  ++rows_;
}

void class_sums::add_unscored(std::span<const std::uint32_t> given, float weight) {
  const double w = static_cast<double>(weight), part = apart_ ? 1.0 : 1.0 / static_cast<double>(given.size());
  for (const std::uint32_t y : given) target_[y] += units_of(w * part);
  weight_ += w;
  ++rows_;
}

void class_sums::add(const class_sums& other) {
  const auto all = [](std::vector<std::int64_t>& to, const std::vector<std::int64_t>& from) {
    std::ranges::transform(to, from, to.begin(), std::plus<>());
  };
  all(target_, other.target_);
  all(gradient_, other.gradient_);
  all(curvature_, other.curvature_);
  weight_ += other.weight_, rows_ += other.rows_;
}

void class_sums::agree(const rank_sums& sum, std::span<double> more) {
  if (!sum) return;
  std::vector<double> all{weight_, rows_};
  for (const auto* const part : {&target_, &gradient_, &curvature_})
    for (const std::int64_t x : *part) all.push_back(number(x));
  all.insert(all.end(), more.begin(), more.end());
  sum(all);
  weight_ = all[0], rows_ = all[1];
  std::size_t at = 2;
  for (auto* const part : {&target_, &gradient_, &curvature_})
    for (std::int64_t& x : *part) x = units_of(all[at++]);
  std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(at), more.size(), more.begin());
}

bool class_sums::are_zero() const {
  for (std::size_t k = 0; k < gradient_.size(); ++k)
    if (!(std::abs(number(gradient_[k])) <=
          negligible_gradient * std::max(number(target_[k]), weight_ / std::max(rows_, 1.0))))
      return false;
  return true;
}

std::vector<double> class_sums::step() const {
  const std::size_t n = gradient_.size();
  std::vector<double> step(n);
  if (whole_) {
    step = solved();
  } else {
    const double by = apart_ ? 1.0 : 2.0;
    for (std::size_t k = 0; k < n; ++k) {
      const double c = number(curvature_[k]);
      step[k] = c > 0.0 ? -number(gradient_[k]) / (by * c) : 0.0;
    }
  }
  double longest = 0.0;
  for (double& x : step) {
    if (!std::isfinite(x)) x = 0.0;
    if (apart_) x = std::clamp(x, -longest_constant_step, longest_constant_step);
    longest = std::max(longest, std::abs(x));
  }
  if (longest > longest_constant_step)
    for (double& x : step) x *= longest_constant_step / longest;
  return step;
}

/// By Cholesky factorisation. Adding the same number to all constants changes nothing, so the curvature is singular: a
/// little is added to its diagonal.
std::vector<double> class_sums::solved() const {
  const std::size_t n = gradient_.size();
  std::vector<double> a(n * n), x(n);
  double trace = 0.0;
  for (std::size_t k = 0; k < n; ++k) trace += number(curvature_[k * n + k]);
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t l = 0; l <= k; ++l) {
      double sum = number(curvature_[k * n + l]);
      if (l == k) sum += 1e-6 * trace / static_cast<double>(n) + std::numeric_limits<double>::min();
      for (std::size_t i = 0; i < l; ++i) sum -= a[k * n + i] * a[l * n + i];
      a[k * n + l] = l == k ? std::sqrt(std::max(sum, 1e-12 * trace)) : sum / a[l * n + l];
    }
  }
  for (std::size_t k = 0; k < n; ++k) {
    x[k] = -number(gradient_[k]);
    for (std::size_t i = 0; i < k; ++i) x[k] -= a[k * n + i] * x[i];
    x[k] /= a[k * n + k];
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t i = k + 1; i < n; ++i) x[k] -= a[i * n + k] * x[i];
    x[k] /= a[k * n + k];
  }
  const double mean = std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(n);
  for (double& each : x) each -= mean;  // along the direction that changes nothing, rounding would decide
  return x;
}

std::vector<float> class_sums::of_unscored() const {
  const double all = std::max(weight_, std::numeric_limits<double>::min()), least = 0.5 / std::max(rows_, 1.0);
  std::vector<double> of;
  double mean = 0.0;
  for (const std::int64_t t : target_) {
    const double p = std::clamp(number(t) / all, least, 1.0 - least);
    of.push_back(apart_ ? std::log(p / (1.0 - p)) : std::log(p));
    mean += of.back() / static_cast<double>(target_.size());
  }
  std::vector<float> constants;
  for (const double x : of) constants.push_back(static_cast<float>(apart_ ? x : x - mean));
  return constants;
}

bool class_descent::take(const class_sums& sums, double loss_here, double loss_of_all) {
  constexpr double rounding = 1e-6;  // relative, of sums of losses
  if (steps_ > 0 && !(loss_of_all <= loss_of_all_ + rounding * std::abs(loss_of_all_))) {
    constants_ = before_;
    return false;
  }
  loss_ = loss_here, loss_of_all_ = loss_of_all;
  if (steps_ == most_constant_steps || sums.are_zero()) return false;
  before_ = constants_;
  ++steps_;
  const std::vector<double> step = sums.step();
  for (std::size_t k = 0; k < step.size(); ++k)
    constants_[k] = static_cast<float>(static_cast<double>(constants_[k]) + step[k]);
  return true;
}

}  // namespace hogwild
