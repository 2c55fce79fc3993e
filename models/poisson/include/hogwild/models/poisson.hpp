// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/math/vector_math.hpp>
#include <hogwild/detail/platform/device_code.hpp>
#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/error.hpp>

namespace hogwild {

/// Poisson regression with the log link: the expected value of a count y >= 0 is exp(m), and the loss exp(m) - y m is
/// its negative log likelihood without log y!, which does not depend on the parameters (McCullagh and Nelder,
/// Generalized linear models, 1989, chapter 6). It may be below zero.
///
/// Above the margin `most`, a count of 10^13, the loss continues as its tangent: losses and derivatives stay finite
/// whatever the parameters, and the loss stays convex.
struct poisson {
  static constexpr std::string_view name = "poisson";
  static constexpr label_kind labels = label_kind::real;
  using convex = poisson;
  static constexpr float most = 30.0f;  ///< the largest margin of which exp() is taken, before it could overflow

  HOGWILD_DEVICE_CODE double loss(float margin, float label) const {
    const double m = static_cast<double>(margin), within = std::min(m, static_cast<double>(most));
    return std::exp(within) * (1.0 + (m - within)) - m * static_cast<double>(label);
  }
  HOGWILD_DEVICE_CODE float derivative(float margin, float label) const {
    return vector_exp(most < margin ? most : margin) - label;
  }

  /// The least loss for this label, at the margin log(label).
  double least_loss(float label) const {
    const double y = static_cast<double>(label);
    if (y > std::exp(static_cast<double>(most))) return -HUGE_VAL;  // its loss has no lower bound
    return y > 0.0 ? y - y * std::log(y) : 0.0;
  }

  /// The expected count.
  float prediction(float margin) const { return std::exp(std::min(margin, most)); }

  /// The second derivative exp(m) has no bound. At the fit it is the expected count, whose mean is that of the labels;
  /// steps and exchanges are planned with this value.
  double smoothness(double mean_label) const { return std::max(1.0, mean_label); }

  /// Whether the model allows this label.
  static bool takes(double label) { return label >= 0.0; }

  /// Throws input_error for a label below 0.
  void require_data(const sparse_view& rows, std::string_view source) const {
    for (const double label : rows.label)
      if (!takes(label))
        throw input_error(std::string(source) + ": a label is " + detail::to_text(label) +
                          ", but poisson learns counts, which are 0 or more");
  }
};

}  // namespace hogwild
