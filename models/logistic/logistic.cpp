// SPDX-License-Identifier: Apache-2.0
#include "margin/margin_descriptor.hpp"

namespace hogwild {

template <>
const model_descriptor& descriptor_of<logistic>() {
  static const detail::margin_descriptor<logistic> descriptor(
      "two labels, and how probable they are: logistic regression");
  return descriptor;
}

}  // namespace hogwild
