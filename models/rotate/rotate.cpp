// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/rotate.hpp>

#include "embeddings/triple_descriptor.hpp"

namespace hogwild {

template <>
const model_descriptor& descriptor_of<rotate>() {
  static const detail::triple_descriptor<rotate> descriptor(
      "which entities a relation joins, by complex vectors: a relation rotates its head to its tail");
  return descriptor;
}

}  // namespace hogwild
