// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

// Products of a row of weights and the values of one example, for layers that use different rows for each example.
// Static: each source that is compiled for its own instruction set has a copy.

namespace hogwild::detail {

[[maybe_unused]] static float dot_of(const float* a, const float* b, std::size_t n) {
  constexpr std::size_t side_by_side = 16;
  std::array<float, side_by_side> sums{};
  std::size_t i = 0;
  for (; i + side_by_side <= n; i += side_by_side)
    for (std::size_t l = 0; l < side_by_side; ++l) sums[l] += a[i + l] * b[i + l];
  float sum = 0.0f;
  for (; i < n; ++i) sum += a[i] * b[i];
  for (const float s : sums) sum += s;
  return sum;
}

/// to += x * from; they do not overlap. Thirty-two at a time: the speed of a loop of one vector depends on the place of
/// its code.
[[maybe_unused]] static void add_times(float* __restrict to, const float* __restrict from, float x, std::size_t n) {
  constexpr std::size_t side_by_side = 32;
  std::size_t i = 0;
  for (; i + side_by_side <= n; i += side_by_side)
    for (std::size_t l = 0; l < side_by_side; ++l) to[i + l] += x * from[i + l];
  for (; i < n; ++i) to[i] += x * from[i];
}

}  // namespace hogwild::detail
