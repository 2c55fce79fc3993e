// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace hogwild::detail {

/// The probabilities of all classes from a model's scores: their softmax, or with one_vs_rest each one by itself.
inline std::vector<double> probabilities_of(std::span<const float> scores, bool one_vs_rest) {
  std::vector<double> fractions;
  if (one_vs_rest) {
    for (const float x : scores) fractions.push_back(1.0 / (1.0 + std::exp(-static_cast<double>(x))));
    return fractions;
  }
  const double top = static_cast<double>(*std::ranges::max_element(scores));
  double sum = 0.0;
  for (const float x : scores) sum += fractions.emplace_back(std::exp(static_cast<double>(x) - top));
  for (double& fraction : fractions) fraction /= sum;
  return fractions;
}

}  // namespace hogwild::detail
