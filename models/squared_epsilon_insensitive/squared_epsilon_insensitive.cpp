// SPDX-License-Identifier: Apache-2.0
#include "margin/epsilon_option.hpp"

namespace hogwild {

template <>
const model_descriptor& descriptor_of<squared_epsilon_insensitive>() {
  static const detail::margin_descriptor<squared_epsilon_insensitive> descriptor(
      "the same, by the square of what an error is more", detail::epsilon_of<squared_epsilon_insensitive>());
  return descriptor;
}

}  // namespace hogwild
