// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include <hogwild/detail/kernels/embedding_kernels.hpp>

namespace hogwild {

/// A bound for the gradients of rows whose products with other rows are scores. A block adds up gradients that do not
/// see each other's changes, so rows on both sides may drive each other up without bound: a step goes too far, and the
/// next one back further. A gradient is made smaller where a step of 1 might change a score by more than `most`, as far
/// as lengths tell.
struct row_limit {
  const embedding_kernels& kernels;
  std::size_t width;  ///< floats of a row, a multiple of embedding_lanes
  float most;

  float length(const float* row) const { return std::sqrt(kernels.dot(row, row, width)); }
  /// The length of the longest of n rows that follow each other.
  float longest(const float* rows, std::size_t n) const {
    float found = 0.0f;
    for (std::size_t r = 0; r < n; ++r) found = std::max(found, length(rows + r * width));
    return found;
  }
  /// The factor for a gradient along which a step of 1 might change a score by so much.
  float factor(float change) const { return change > most ? most / change : 1.0f; }
  /// Makes the gradient of a row smaller; `longest` is the length of the longest row that it is multiplied with.
  void apply(std::span<float> gradient, float longest) const {
    const float by = factor(length(gradient.data()) * longest);
    if (by == 1.0f) return;
    for (float& x : gradient) x *= by;
  }
};

}  // namespace hogwild
