// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

namespace hogwild {

/// What l1 makes of w, where it is worth t >= 0: the point that minimises (x - w)^2 / 2 + t |x|. Exactly 0 within t
/// of 0.
template <class T>
constexpr T soft_threshold(T w, T t) {
  return std::max(w - t, T(0)) + std::min(w + t, T(0));
}

/// The same of the norm of a row that is not 0: by what it is to be multiplied.
template <class T>
double left_of_row(std::span<const T> row, double t) {
  double square = 0.0;
  for (const T w : row) square += static_cast<double>(w) * static_cast<double>(w);
  return std::max(1.0 - t / std::sqrt(square), 0.0);
}

/// Of an epoch's l1 so much is taken at its end, of all parameters at once, and the rest by the rows that touch them
/// (truncated gradient: Langford, Li and Zhang, Sparse online learning via truncated gradient, 2009). So parameters
/// that noise has moved off 0, or the gains of several workers, are 0 again where the epoch ends. What an epoch takes
/// in all is what it would be without this; the larger the part, the further parameters swing within an epoch.
inline constexpr double l1_at_the_gate = 0.25;

/// FTRL-Proximal by coordinates (McMahan et al., Ad click prediction: a view from the trenches, KDD 2013, algorithm 1).
/// Of each parameter two sums are kept: z of gradients, each less sigma * w, and s, which is the paper's sqrt(n), with
///
///   sigma = d / alpha,   d = sqrt(s^2 + g^2) - s,   s += d
///   w = 0 where |z| <= lambda1, else -(z - sign(z) lambda1) / ((beta + s) / alpha + lambda2)
///
/// Where several workers add to both, s stays the sum of what z was charged with, as the root of a common n would not:
/// w is then still the point that all their sigmas pull to. A plain value.
struct ftrl_rule {
  float alpha = 0.1f;    ///< > 0
  float beta = 1.0f;     ///< > 0
  float lambda1 = 0.0f;  ///< >= 0, as is lambda2: of the sum over the rows so far
  float lambda2 = 0.0f;

  /// What a gradient g adds to s, and, at w, to z. Adds that are lost or overtaken may leave s below 0; it is taken to
  /// be no less.
  float gain_of_root(float g, float s) const {
    const float square = g * g, from = std::max(s, 0.0f), sum = std::sqrt(from * from + square) + from;
    return sum > 0.0f ? square / sum : 0.0f;
  }
  float gain(float g, float w, float gain_of_root) const { return g - gain_of_root / alpha * w; }
  /// Of a bias.
  ftrl_rule without_l1_and_l2() const { return {.alpha = alpha, .beta = beta}; }
  float weight(float z, float s) const {
    return soft_threshold(-z, lambda1) / ((beta + std::max(s, 0.0f)) / alpha + lambda2);
  }
};

}  // namespace hogwild
