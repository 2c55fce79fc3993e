// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/model/model_number.hpp>
#include <hogwild/detail/platform/device_code.hpp>

namespace hogwild {

/// Support vector regression: with r = m - y the loss is max(0, |r| - epsilon) (Vapnik, The nature of statistical
/// learning theory, 1995). Rows that are predicted within epsilon change nothing. The derivative at the kinks is 0, and
/// jumps by 1 there.
struct epsilon_insensitive {
  static constexpr std::string_view name = "epsilon_insensitive";
  static constexpr label_kind labels = label_kind::real;
  using convex = epsilon_insensitive;

  float epsilon = 0.1f;  ///< >= 0, in units of the target

  static std::array<model_number, 1> numbers() {
    return {number<&epsilon_insensitive::epsilon>({.name = "epsilon",
                                                   .help = "errors up to here cost nothing, in units of the label",
                                                   .suits = [](double x) { return x >= 0.0; },
                                                   .must_be = "at least 0"})};
  }
  HOGWILD_DEVICE_CODE double loss(float margin, float label) const {
    const double r = std::abs(static_cast<double>(margin) - static_cast<double>(label));
    return std::max(r - static_cast<double>(epsilon), 0.0);
  }
  HOGWILD_DEVICE_CODE float derivative(float margin, float label) const {
    const float r = margin - label;
    return r > epsilon ? 1.0f : r < -epsilon ? -1.0f : 0.0f;
  }
  /// If epsilon is small, both kinks lie within one unit of the margin.
  double smoothness(double) const { return epsilon < 0.5f ? 2.0 : 1.0; }
};

}  // namespace hogwild
