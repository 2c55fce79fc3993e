// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/models/plain_descriptor.hpp>

namespace hogwild {

template <>
const model_descriptor& descriptor_of<hinge_svm>() {
  static const detail::plain_descriptor<hinge_svm> descriptor(
      "two labels, by the widest margin: a linear support vector machine");
  return descriptor;
}

}  // namespace hogwild
