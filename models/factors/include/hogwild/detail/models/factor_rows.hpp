// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include <hogwild/model.hpp>

// What models with factors have in common: rows of them, one for each column, from the first parameter on.

namespace hogwild {

/// `rows` rows of `factors` numbers each, padded to `width`.
struct factor_rows {
  std::size_t rows = 0, width = 0, factors = 0;

  /// Fills them with small numbers of any sign, uniform in (-most, most), for between pairs of zeros nothing is
  /// learned; the padding stays zero.
  void init(const auto& w, const auto& random, double most) const {
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t k = 0; k < factors; ++k)
        w.store(r * width + k, static_cast<float>((2.0 * random.uniform(r * factors + k) - 1.0) * most));
    }
  }
};

/// The groups of a factorization machine: `width` factors of each column, behind them a weight of each, and the bias.
inline std::array<parameter_group, 3> machine_groups(std::size_t features, std::size_t width) {
  const std::size_t weights = features * width;
  return {{{.name = "factors", .rows = features, .width = width},
           {.name = "weights", .offset = weights, .rows = features},
           {.name = "bias", .offset = weights + features, .rows = 1, .hot_first = false, .l2 = false}}};
}

}  // namespace hogwild
