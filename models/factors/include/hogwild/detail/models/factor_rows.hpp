// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include <hogwild/model.hpp>

// Common parts of models with factors: a row of factors for each column, from the first parameter on.

namespace hogwild {

/// `rows` rows of `factors` numbers each, padded to `width`.
struct factor_rows {
  std::size_t rows = 0, width = 0, factors = 0;

  /// Fills them with small numbers of either sign, uniform in (-most, most), because pairs of zeros would never change;
  /// the padding stays zero.
  void init(const auto& w, const auto& random, double most) const {
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t k = 0; k < factors; ++k)
        w.store(r * width + k, static_cast<float>((2.0 * random.uniform(r * factors + k) - 1.0) * most));
    }
  }
};

/// The groups of a factorization machine: `width` factors for each column, then a weight for each, and the bias.
inline std::array<parameter_group, 3> fm_groups(std::size_t features, std::size_t width) {
  const std::size_t weights = features * width;
  return {{{.name = "factors", .rows = features, .width = width},
           {.name = "weights", .offset = weights, .rows = features},
           {.name = "bias", .offset = weights + features, .rows = 1, .hot_first = false, .l2 = false}}};
}

}  // namespace hogwild
