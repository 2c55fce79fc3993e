// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/models/plain_descriptor.hpp>

namespace hogwild {

template <>
const model_descriptor& descriptor_of<poisson>() {
  static const detail::plain_descriptor<poisson> descriptor(
      "counts, which are 0 or more: Poisson regression with the log link");
  return descriptor;
}

}  // namespace hogwild
