// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <hogwild/detail/loop/loop_options.hpp>
#include <hogwild/detail/optimization/optimizer.hpp>

// A linear model makes the same of entries in another unit, but for what is given in that unit. So its bias changes as
// the weight of one more column would whose value in every row has the square loop_options::bias_rate, times that
// value.

namespace hogwild {

/// The value of that column.
inline float bias_value(const loop_options& o) {
  return std::sqrt(o.bias_rate);
}

/// What multiplies the step of the bias by the derivative of the loss itself: where steps are that of the gradient both
/// the gradient's value and the weight's, where they are divided by the size of gradients the weight's alone.
inline float bias_step_factor(const loop_options& o) {
  return o.optimizer == optimizer_kind::sgd || o.optimizer == optimizer_kind::momentum ? o.bias_rate : bias_value(o);
}

/// The constants by which it changes: adam's epsilon has the unit of gradients, and those of a bias are of the loss
/// itself.
inline optimizer_constants constants_of_bias(const loop_options& o) {
  optimizer_constants constants = o.constants;
  constants.epsilon = epsilon_of(constants) / static_cast<double>(bias_value(o));
  return constants;
}

/// What multiplies gradients before adagrad sums up their squares, so that what it adds to the sums is as small beside
/// them in any unit. A power of two, which changes no bit of a quotient. Not those of biases, which are in no unit. 1
/// under other optimisers, and of models that are not linear.
inline float adagrad_unit(const loop_options& o) {
  if (o.optimizer != optimizer_kind::adagrad && o.optimizer != optimizer_kind::row_adagrad) return 1.0f;
  return std::exp2(-std::round(std::log2(bias_value(o))));
}

}  // namespace hogwild
