// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/models/plain_descriptor.hpp>

namespace hogwild {

template <>
const model_descriptor& descriptor_of<modified_huber>() {
  static const detail::plain_descriptor<modified_huber> descriptor(
      "two labels, and how probable they are, with outliers that pull only linearly");
  return descriptor;
}

}  // namespace hogwild
