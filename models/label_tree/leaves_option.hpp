// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hogwild/detail/models/model_options.hpp>
#include <hogwild/models/label_tree.hpp>

namespace hogwild::detail {

/// Also of softmax, whose class loss may be this model.
inline model_option leaves_option() {
  return count_option("leaves", label_tree{}.leaves, "the most classes of the lowest groups of a label tree");
}

}  // namespace hogwild::detail
