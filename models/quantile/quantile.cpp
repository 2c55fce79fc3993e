// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/models/plain_descriptor.hpp>

namespace hogwild {

template <>
const model_descriptor& descriptor_of<quantile>() {
  static const detail::plain_descriptor<quantile> descriptor("numbers, by one of their quantiles");
  return descriptor;
}

}  // namespace hogwild
