// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/platform/device_code.hpp>

namespace hogwild {

/// Regression that outliers pull only linearly (Huber 1964): with r = m - y the loss is r^2 / 2 up to |r| = delta and
/// delta (|r| - delta / 2) beyond.
struct huber {
  static constexpr std::string_view name = "huber";
  static constexpr label_kind labels = label_kind::real;

  float delta = 1.0f;  ///< > 0, in units of the target

  std::array<double, 1> hyperparameters() const { return {static_cast<double>(delta)}; }
  HOGWILD_DEVICE_CODE double loss(float margin, float label) const {
    const double r = std::abs(static_cast<double>(margin) - static_cast<double>(label));
    const double d = static_cast<double>(delta);
    return r <= d ? 0.5 * r * r : d * (r - 0.5 * d);
  }
  HOGWILD_DEVICE_CODE float derivative(float margin, float label) const {
    return std::clamp(margin - label, -delta, delta);
  }
};

}  // namespace hogwild
