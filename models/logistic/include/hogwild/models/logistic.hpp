// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <string_view>

#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/math/vector_math.hpp>
#include <hogwild/detail/platform/device_code.hpp>

namespace hogwild {

/// Logistic regression: loss log(1 + exp(-y m)) for label y in {-1, +1} and margin m.
struct logistic {
  static constexpr std::string_view name = "logistic";
  static constexpr label_kind labels = label_kind::binary;
  using convex = logistic;

  HOGWILD_DEVICE_CODE double loss(float margin, float label) const {
    const double z = static_cast<double>(margin) * static_cast<double>(label);
    return z > 0 ? std::log1p(std::exp(-z)) : std::log1p(std::exp(z)) - z;  // never the exp of a large number
  }
  HOGWILD_DEVICE_CODE float derivative(float margin, float label) const {
    return -label / (1.0f + vector_exp(margin * label));
  }

  /// The loss with a relative error of at most 3e-7, in a form that compilers vectorise.
  float vector_loss(float margin, float label) const {
    const float z = margin * label, size = z < 0.0f ? -z : z;
    return (z < 0.0f ? size : 0.0f) + vector_log1p(vector_exp(-size));
  }

  /// Probability of the larger label.
  double probability(float margin) const { return 1.0 / (1.0 + std::exp(-static_cast<double>(margin))); }
};

}  // namespace hogwild
