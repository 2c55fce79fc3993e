// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/model/model_number.hpp>
#include <hogwild/detail/platform/device_code.hpp>

namespace hogwild {

/// Quantile regression: the prediction is such that a fraction q of the labels lies below it. With r = y - m the loss
/// is q r where r > 0 and (q - 1) r elsewhere, the pinball loss (Koenker and Bassett, Regression quantiles, 1978); the
/// derivative at the kink is 0, and jumps by 1 there.
struct quantile {
  static constexpr std::string_view name = "quantile";
  static constexpr label_kind labels = label_kind::real;
  using convex = quantile;

  float q = 0.5f;  ///< in (0, 1); 0.5 is the median

  static std::array<model_number, 1> numbers() {
    return {number<&quantile::q>({.name = "quantile",
                                  .help = "the fraction of labels that should be below the prediction",
                                  .suits = [](double x) { return x > 0.0 && x < 1.0; },
                                  .must_be = "between 0 and 1"})};
  }
  HOGWILD_DEVICE_CODE double loss(float margin, float label) const {
    const double r = static_cast<double>(label) - static_cast<double>(margin), fraction = static_cast<double>(q);
    return r > 0.0 ? fraction * r : (fraction - 1.0) * r;
  }
  HOGWILD_DEVICE_CODE float derivative(float margin, float label) const {
    return margin < label ? -q : margin > label ? 1.0f - q : 0.0f;
  }
};

}  // namespace hogwild
