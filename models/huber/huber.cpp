// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/models/plain_descriptor.hpp>

namespace hogwild {

template <>
const model_descriptor& descriptor_of<huber>() {
  static const detail::plain_descriptor<huber> descriptor("numbers, with outliers that pull only linearly");
  return descriptor;
}

}  // namespace hogwild
