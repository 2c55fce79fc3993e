// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace hogwild {

/// Multiplies the numbers of a row.
inline void multiply(std::span<float> row, float factor) {
  if (factor == 1.0f) return;
  for (float& x : row) x *= factor;
}

}  // namespace hogwild
