// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include <hogwild/option_values.hpp>

namespace hogwild {

/// Plain l2 without writes, for margin models under sgd. The weights are w = a * v, and the shrink of a step changes
/// only the number a. Every worker computes a by itself from the number of rows that were drawn before its chunk. Rows
/// that do not change v write nothing, and nothing is shared.
struct scaled_l2 {
  /// If a falls below this, a gate multiplies it into v. Floats have as many digits there, and w may be 1e26 before v
  /// overflows; each multiplication is a pass over all weights.
  static constexpr double smallest_scale = 1e-12;

  double scale = 1.0;     ///< a at row position `position` of the pass
  double position = 0.0;  ///< rows, of all processes that train
  double shrink = 1.0;    ///< the factor of a for each row: 1 - step * l2, in (0, 1]
  double stretch = 1.0;   ///< rows of all processes for each row of this one, assuming equal progress

  double at(double rows) const { return scale * std::exp(std::log(shrink) * (rows - position)); }
  /// The factor of a from one row of this process to its next.
  double between_rows() const { return stretch == 1.0 ? shrink : std::exp(std::log(shrink) * stretch); }

  /// The number of parts into which an epoch of `rows` rows is cut so that a, starting from 1, stays above
  /// smallest_scale.
  static std::size_t parts(double shrink, double rows) {
    const double decades = -std::log(shrink) * rows / -std::log(smallest_scale);
    return std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(decades)));
  }
};

/// l2 for all other cases, applied where a parameter is touched: an example that contains column j divides each of that
/// column's parameters by 1 + step * l2 * n / degree_j. Over an epoch this sums up to the plain l2 of every row, and a
/// division cannot overshoot zero however large the step (Hogwild! section 3 divides l2 by degree in the same way).
struct touched_l2 {
  double l2_rows = 0.0;  ///< l2 * n

  /// The fraction for one occurrence of a column that `degree` rows contain.
  double fraction(std::uint32_t degree) const { return l2_rows / static_cast<double>(degree); }
};

}  // namespace hogwild
