// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/warp.hpp>

#include "embeddings/pair_descriptor.hpp"

namespace hogwild {

template <>
const model_descriptor& descriptor_of<warp>() {
  static const detail::pair_descriptor<warp> descriptor(
      "which items to recommend, from pairs of users and items; ranks are estimated by violated margins");
  return descriptor;
}

}  // namespace hogwild
