// SPDX-License-Identifier: Apache-2.0
#include "margin/margin_descriptor.hpp"

namespace hogwild {

template <>
const model_descriptor& descriptor_of<huber>() {
  static const detail::margin_descriptor<huber> descriptor(
      "numbers, with outliers that pull only linearly",
      {.option = number_option("huber-delta", 1.0, "where the huber loss turns from square to straight"),
       .saved_as = "delta",
       .value = &huber::delta,
       .suits = [](float delta) { return delta > 0.0f; },
       .must_be = "positive",
       .range = "a number above 0"});
  return descriptor;
}

}  // namespace hogwild
