// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/models/plain_descriptor.hpp>

namespace hogwild {

template <>
const model_descriptor& descriptor_of<squared_hinge>() {
  static const detail::plain_descriptor<squared_hinge> descriptor(
      "two labels, by the widest margin with squared slacks: an L2-loss support vector machine");
  return descriptor;
}

}  // namespace hogwild
