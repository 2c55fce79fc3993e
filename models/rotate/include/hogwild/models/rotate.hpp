// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include <hogwild/detail/embeddings/triple_model.hpp>

namespace hogwild {

/// Rotations (Sun and others, RotatE: knowledge graph embedding by relational rotation in complex space, 2019): the
/// score of a triple is -|h o r - t|, where the numbers of r have length 1.
struct rotate : triple_formula {
  using library_model = rotate;
  static constexpr std::string_view name = "rotate";
  static constexpr std::size_t epochs = 16;  ///< the default

  /// The model without options, and without data.
  static rotate usual() {
    rotate m;
    m.composition = triple_composition::rotation;
    m.distance = true;
    m.factors = 256;
    m.negatives = 512;
    return m;
  }
};

}  // namespace hogwild
