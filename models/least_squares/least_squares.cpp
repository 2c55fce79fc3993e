// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/models/plain_descriptor.hpp>

namespace hogwild {

template <>
const model_descriptor& descriptor_of<least_squares>() {
  static const detail::plain_descriptor<least_squares> descriptor("numbers, by least squares");
  return descriptor;
}

}  // namespace hogwild
