// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string_view>

#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/platform/device_code.hpp>

namespace hogwild {

/// Support vector machine with squared slacks: loss max(0, 1 - y m)^2 for label y in {-1, +1} and margin m (Chang,
/// Hsieh and Lin, Coordinate descent method for large-scale L2-loss linear support vector machines, 2008). Unlike the
/// derivative of hinge_svm, its derivative has no jump; it changes by at most 2 over one unit of the margin.
struct squared_hinge {
  static constexpr std::string_view name = "squared_hinge";
  static constexpr label_kind labels = label_kind::binary;
  using convex = squared_hinge;

  HOGWILD_DEVICE_CODE double loss(float margin, float label) const {
    const double slack = std::max(1.0 - static_cast<double>(margin) * static_cast<double>(label), 0.0);
    return slack * slack;
  }
  HOGWILD_DEVICE_CODE float derivative(float margin, float label) const {
    return -2.0f * label * std::max(1.0f - margin * label, 0.0f);
  }
};

}  // namespace hogwild
