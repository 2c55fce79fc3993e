// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include <hogwild/detail/memory/param_view.hpp>
#include <hogwild/detail/optimization/optimizer.hpp>
#include <hogwild/detail/worker/loop_options.hpp>

// A linear model predicts the same whatever the unit of its entries. So a step moves its bias as if it were the weight
// of one more column that has the same value in every row, the square root of loop_options::bias_rate: the bias is that
// weight times that value.

namespace hogwild {

/// The value of that column in every row.
inline float bias_value(const loop_options& o) {
  return std::sqrt(o.bias_rate);
}

/// The factor by which the bias moves further than the weight of a column of ones would: bias_value() once for the
/// gradient and once for the weight; for the weight alone under optimizers that divide gradients by their size.
inline float bias_step_factor(const loop_options& o) {
  return optimizer_facts_of(o.optimizer).one_step ? o.bias_rate : bias_value(o);
}

/// The optimiser's constants for a bias: adam's epsilon has the unit of the gradients of columns, and the gradient of a
/// bias is that of the loss itself.
inline optimizer_constants constants_of_bias(const loop_options& o) {
  optimizer_constants constants = o.constants;
  constants.epsilon = epsilon_of(constants) / static_cast<double>(bias_value(o));
  return constants;
}

/// The factor of gradients before adagrad sums their squares, so that the epsilon that it adds is as small beside the
/// sums in every unit of the entries. It is a power of two, which changes no bit of a quotient. Gradients of biases
/// have no unit and are not multiplied. 1 under other optimisers, and for models that are not linear.
inline float adagrad_unit(const loop_options& o) {
  if (o.optimizer != optimizer_kind::adagrad && o.optimizer != optimizer_kind::row_adagrad) return 1.0f;
  return std::exp2(-std::round(std::log2(bias_value(o))));
}

/// A step of adagrad by the gradient g of a bias that nobody else writes meanwhile.
inline void step_bias_by_adagrad(float& bias, float& sum, float g, float step) {
  sum += g * g;
  bias -= step * g / std::sqrt(std::max(sum, 0.0f) + adagrad<param_view<float>>::epsilon);
}

}  // namespace hogwild
