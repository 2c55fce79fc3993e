// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/skip_gram.hpp>

#include "words/window_descriptor.hpp"

namespace hogwild {

template <>
const model_descriptor& descriptor_of<skip_gram>() {
  static const detail::window_descriptor<skip_gram> descriptor(
      "vectors of words, which predict the neighbours of a word");
  return descriptor;
}

}  // namespace hogwild
