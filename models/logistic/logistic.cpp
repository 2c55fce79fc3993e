// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/models/plain_descriptor.hpp>

namespace hogwild {

template <>
const model_descriptor& descriptor_of<logistic>() {
  static const detail::plain_descriptor<logistic> descriptor(
      "two labels, and how probable they are: logistic regression");
  return descriptor;
}

}  // namespace hogwild
