// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/transe.hpp>

#include "embeddings/triple_descriptor.hpp"

namespace hogwild {

template <>
const model_descriptor& descriptor_of<transe>() {
  static const detail::triple_descriptor<transe> descriptor(
      "which entities a relation joins, by vectors: a relation moves its head to its tail");
  return descriptor;
}

}  // namespace hogwild
