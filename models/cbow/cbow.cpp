// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/cbow.hpp>

#include "words/window_descriptor.hpp"

namespace hogwild {

template <>
const model_descriptor& descriptor_of<cbow>() {
  static const detail::window_descriptor<cbow> descriptor(
      "vectors of words, which predict a word from the mean of its neighbours");
  return descriptor;
}

}  // namespace hogwild
