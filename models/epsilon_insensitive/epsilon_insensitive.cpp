// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/models/plain_descriptor.hpp>

namespace hogwild {

template <>
const model_descriptor& descriptor_of<epsilon_insensitive>() {
  static const detail::plain_descriptor<epsilon_insensitive> descriptor(
      "numbers, where errors within epsilon cost nothing");
  return descriptor;
}

}  // namespace hogwild
