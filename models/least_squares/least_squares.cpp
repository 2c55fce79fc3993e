// SPDX-License-Identifier: Apache-2.0
#include "margin/margin_descriptor.hpp"

namespace hogwild {

template <>
const model_descriptor& descriptor_of<least_squares>() {
  static const detail::margin_descriptor<least_squares> descriptor("numbers, by least squares");
  return descriptor;
}

}  // namespace hogwild
