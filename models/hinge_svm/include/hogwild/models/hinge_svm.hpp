// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string_view>

#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/platform/device_code.hpp>

namespace hogwild {

/// Support vector machine: loss max(0, 1 - y m) for label y in {-1, +1} and margin m; the derivative at the kink is 0.
struct hinge_svm {
  static constexpr std::string_view name = "hinge_svm";
  static constexpr label_kind labels = label_kind::binary;
  using convex = hinge_svm;

  HOGWILD_DEVICE_CODE double loss(float margin, float label) const {
    return std::max(1.0 - static_cast<double>(margin) * static_cast<double>(label), 0.0);
  }
  HOGWILD_DEVICE_CODE float derivative(float margin, float label) const {
    return margin * label < 1.0f ? -label : 0.0f;
  }
};

}  // namespace hogwild
