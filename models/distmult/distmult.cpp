// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/distmult.hpp>

#include "embeddings/triple_descriptor.hpp"

namespace hogwild {

template <>
const model_descriptor& descriptor_of<distmult>() {
  static const detail::triple_descriptor<distmult> descriptor(
      "which entities a relation joins, by products of three vectors");
  return descriptor;
}

}  // namespace hogwild
