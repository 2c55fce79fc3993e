// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/sampled_softmax.hpp>

#include "embeddings/pair_descriptor.hpp"

namespace hogwild {

template <>
const model_descriptor& descriptor_of<sampled_softmax>() {
  static const detail::pair_descriptor<sampled_softmax> descriptor(
      "which items to recommend, from pairs of users and items, by a softmax over all items");
  return descriptor;
}

}  // namespace hogwild
