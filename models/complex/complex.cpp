// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/complex.hpp>

#include "embeddings/triple_descriptor.hpp"

namespace hogwild {

template <>
const model_descriptor& descriptor_of<complex>() {
  static const detail::triple_descriptor<complex> descriptor(
      "which entities a relation joins, by products of three complex vectors");
  return descriptor;
}

}  // namespace hogwild
