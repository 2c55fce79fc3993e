// SPDX-License-Identifier: Apache-2.0
#include "margin/margin_descriptor.hpp"

namespace hogwild {

template <>
const model_descriptor& descriptor_of<quantile>() {
  static const detail::margin_descriptor<quantile> descriptor(
      "numbers, by one of their quantiles",
      {.option = number_option("quantile", 0.5, "the fraction of labels that shall be below what is predicted"),
       .saved_as = "quantile",
       .value = &quantile::q,
       .suits = [](float q) { return q > 0.0f && q < 1.0f; },
       .must_be = "between 0 and 1",
       .range = "a number between 0 and 1"});
  return descriptor;
}

}  // namespace hogwild
