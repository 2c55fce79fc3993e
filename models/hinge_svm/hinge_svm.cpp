// SPDX-License-Identifier: Apache-2.0
#include "margin/margin_descriptor.hpp"

namespace hogwild {

template <>
const model_descriptor& descriptor_of<hinge_svm>() {
  static const detail::margin_descriptor<hinge_svm> descriptor(
      "two labels, by the widest margin: a linear support vector machine");
  return descriptor;
}

}  // namespace hogwild
