// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace hogwild {

/// The proximal map of l1 with t >= 0: the x that minimises (x - w)^2 / 2 + t |x|. Exactly 0 if w is within t of 0.
template <class T>
constexpr T soft_threshold(T w, T t) {
  return std::max(w - t, T(0)) + std::min(w + t, T(0));
}

/// The same for the norm of a row that is not 0: returns the factor by which the row is multiplied.
template <class T>
double left_of_row(std::span<const T> row, double t) {
  double square = 0.0;
  for (const T w : row) square += static_cast<double>(w) * static_cast<double>(w);
  return std::max(1.0 - t / std::sqrt(square), 0.0);
}

/// The fraction of an epoch's l1 that is applied at its end, to all parameters at once; the rows that touch them apply
/// the rest (truncated gradient: Langford, Li and Zhang, Sparse online learning via truncated gradient, 2009). So
/// parameters that noise, or the gains of several workers, have moved off 0 are 0 again at the end of the epoch. The
/// fraction does not change an epoch's total l1; the larger it is, the more parameters vary within an epoch.
inline constexpr double l1_at_the_gate = 0.25;

/// The fraction of the l1 of `rows` rows that an entry of a column applies which `degree` of them contain.
inline float part_of_l1(std::size_t rows, std::uint32_t degree) {
  return static_cast<float>(rows) / static_cast<float>(std::max(degree, 1u));
}

/// FTRL-Proximal by coordinates (McMahan et al., Ad click prediction: a view from the trenches, KDD 2013, algorithm 1).
/// Two sums are kept for each parameter: z of gradients, each less sigma * w, and s, which is the paper's sqrt(n), with
///
///   sigma = d / alpha,   d = sqrt(s^2 + g^2) - s,   s += d
///   w = 0 where |z| <= lambda1, else -(z - sign(z) lambda1) / ((beta + s) / alpha + lambda2)
///
/// If several workers add to both, s / alpha remains the sum of the sigmas in z; the root of a common n would not. So w
/// is still the point towards which all their sigmas pull. A plain value.
struct ftrl_rule {
  float alpha = 0.1f;    ///< > 0
  float beta = 1.0f;     ///< > 0
  float lambda1 = 0.0f;  ///< >= 0, as is lambda2: for the sum over the rows so far
  float lambda2 = 0.0f;

  /// The amounts that a gradient g adds to s, and, given w, to z. If adds are lost, s may be below 0; it then counts as
  /// 0.
  float gain_of_root(float g, float s) const {
    const float square = g * g, from = std::max(s, 0.0f), sum = std::sqrt(from * from + square) + from;
    return sum > 0.0f ? square / sum : 0.0f;
  }
  float gain(float g, float w, float gain_of_root) const { return g - gain_of_root / alpha * w; }
  /// The rule for a bias.
  ftrl_rule without_l1_and_l2() const { return {.alpha = alpha, .beta = beta}; }
  float weight(float z, float s) const {
    return soft_threshold(-z, lambda1) / ((beta + std::max(s, 0.0f)) / alpha + lambda2);
  }
};

}  // namespace hogwild
