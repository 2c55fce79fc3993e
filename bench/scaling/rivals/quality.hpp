// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "settings.hpp"
#include "workload.hpp"

namespace hogwild::bench {

/// How good a linear model is, measured by us.
struct model_quality {
  double objective = 0.0;  ///< mean loss over the training rows + l2/2 |w|^2
  std::optional<double> test_accuracy{};
};

/// `weights` by position, no bias; the loss and the l2 are those of `settled`, whose model is hinge_svm or logistic.
model_quality measure_quality(const model_settings& settled, std::span<const float> weights, const workload& data);

/// Why a run must not be told as fast; empty: it may. With the reference's objective, its own must not be worse than
/// `band` allows; with another one (or none told) its test accuracy must not be lower than the reference's by more than
/// `accuracy_band`. Better than the reference is no fault.
std::string fault_of_quality(const std::optional<double>& objective, const std::optional<double>& test_accuracy,
                             bool same_objective, const model_settings& reference, double band, double accuracy_band);

}  // namespace hogwild::bench
