// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include <hogwild/detail/embeddings/triple_model.hpp>

namespace hogwild {

/// Translations (Bordes and others, Translating embeddings for modeling multi-relational data, 2013): the score of a
/// triple is -|h + r - t|.
struct transe : triple_formula {
  using library_model = transe;
  static constexpr std::string_view name = "transe";
  static constexpr std::size_t epochs = 14;  ///< the default

  /// The model without options, and without data.
  static transe usual() {
    transe m;
    m.composition = triple_composition::sum;
    m.distance = true;
    m.factors = 256;
    m.negatives = 512;
    return m;
  }
};

}  // namespace hogwild
