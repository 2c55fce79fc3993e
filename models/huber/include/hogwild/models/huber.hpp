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

/// A regression loss that grows only linearly for outliers (Huber 1964): with r = m - y the loss is r^2 / 2 up to |r| =
/// delta and delta (|r| - delta / 2) beyond.
struct huber {
  static constexpr std::string_view name = "huber";
  static constexpr label_kind labels = label_kind::real;
  using convex = huber;

  float delta = 1.0f;  ///< > 0, in units of the target

  static std::array<model_number, 1> numbers() {
    return {number<&huber::delta>({.name = "delta",
                                   .help = "where the huber loss turns from square to straight",
                                   .option = "huber-delta",
                                   .suits = [](double x) { return x > 0.0; },
                                   .must_be = "positive"})};
  }
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
