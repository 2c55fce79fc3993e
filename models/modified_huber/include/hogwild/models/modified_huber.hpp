// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string_view>

#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/platform/device_code.hpp>

namespace hogwild {

/// A classification loss that grows only linearly for outliers: for label y in {-1, +1} and z = y m the loss is max(0,
/// 1 - z)^2 from z = -1 on and -4 z below (Zhang, Solving large scale linear prediction problems using stochastic
/// gradient descent algorithms, 2004). Its derivative changes by at most 2 over one unit of the margin.
struct modified_huber {
  static constexpr std::string_view name = "modified_huber";
  static constexpr label_kind labels = label_kind::binary;
  using convex = modified_huber;

  HOGWILD_DEVICE_CODE double loss(float margin, float label) const {
    const double z = static_cast<double>(margin) * static_cast<double>(label);
    const double slack = std::max(1.0 - z, 0.0);
    return z < -1.0 ? -4.0 * z : slack * slack;
  }
  HOGWILD_DEVICE_CODE float derivative(float margin, float label) const {
    return -2.0f * label * std::clamp(1.0f - margin * label, 0.0f, 2.0f);
  }

  /// Probability of the larger label: maps the margin from [-1, 1] to [0, 1] (Zhang, Statistical behavior and
  /// consistency of classification methods based on convex risk minimization, 2004).
  double probability(float margin) const { return std::clamp((static_cast<double>(margin) + 1.0) / 2.0, 0.0, 1.0); }
};

}  // namespace hogwild
