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

/// Support vector regression with squared slacks: with r = m - y the loss is max(0, |r| - epsilon)^2 (Ho and Lin,
/// Large-scale linear support vector regression, 2012). Unlike the derivative of epsilon_insensitive, its derivative
/// has no jump; it changes by at most 2 over one unit of the margin.
struct squared_epsilon_insensitive {
  static constexpr std::string_view name = "squared_epsilon_insensitive";
  static constexpr label_kind labels = label_kind::real;
  using convex = squared_epsilon_insensitive;

  float epsilon = 0.1f;  ///< >= 0, in units of the target

  static std::array<model_number, 1> numbers() {
    return {
        number<&squared_epsilon_insensitive::epsilon>({.name = "epsilon",
                                                       .help = "errors up to here cost nothing, in units of the label",
                                                       .suits = [](double x) { return x >= 0.0; },
                                                       .must_be = "at least 0"})};
  }
  HOGWILD_DEVICE_CODE double loss(float margin, float label) const {
    const double r = std::abs(static_cast<double>(margin) - static_cast<double>(label));
    const double slack = std::max(r - static_cast<double>(epsilon), 0.0);
    return slack * slack;
  }
  HOGWILD_DEVICE_CODE float derivative(float margin, float label) const {
    const float r = margin - label;
    return 2.0f * (r - std::clamp(r, -epsilon, epsilon));
  }
  double smoothness(double) const { return 2.0; }
};

}  // namespace hogwild
