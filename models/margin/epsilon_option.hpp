// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "margin/margin_descriptor.hpp"

namespace hogwild::detail {

/// How far a regression may be off at no cost.
template <margin_model M>
margin_constant<M> epsilon_of() {
  return {.option = number_option("epsilon", 0.1, "errors up to here cost nothing, in units of the label"),
          .saved_as = "epsilon",
          .value = &M::epsilon,
          .suits = [](float epsilon) { return epsilon >= 0.0f; },
          .must_be = "at least 0",
          .range = "a number of at least 0"};
}

}  // namespace hogwild::detail
