// SPDX-License-Identifier: Apache-2.0
#include "margin/epsilon_option.hpp"

namespace hogwild {

template <>
const model_descriptor& descriptor_of<epsilon_insensitive>() {
  static const detail::margin_descriptor<epsilon_insensitive> descriptor(
      "numbers, where errors within epsilon cost nothing", detail::epsilon_of<epsilon_insensitive>());
  return descriptor;
}

}  // namespace hogwild
