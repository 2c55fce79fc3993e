// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/platform/device_code.hpp>

namespace hogwild {

/// Linear regression: loss (m - y)^2 / 2 for target y and margin m.
struct least_squares {
  static constexpr std::string_view name = "least_squares";
  static constexpr label_kind labels = label_kind::real;
  using convex = least_squares;

  HOGWILD_DEVICE_CODE double loss(float margin, float label) const {
    const double r = static_cast<double>(margin) - static_cast<double>(label);
    return 0.5 * r * r;
  }
  HOGWILD_DEVICE_CODE float derivative(float margin, float label) const { return margin - label; }
};

}  // namespace hogwild
