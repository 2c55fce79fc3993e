// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/models/plain_descriptor.hpp>

namespace hogwild {

template <>
const model_descriptor& descriptor_of<squared_epsilon_insensitive>() {
  static const detail::plain_descriptor<squared_epsilon_insensitive> descriptor(
      "numbers, where errors within epsilon cost nothing, and larger ones the square of the excess");
  return descriptor;
}

}  // namespace hogwild
