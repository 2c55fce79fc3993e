// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include <hogwild/detail/embeddings/triple_model.hpp>

namespace hogwild {

/// Products (Yang and others, Embedding entities and relations for learning and inference in knowledge bases, 2015):
/// the score of a triple is the sum over k of h_k r_k t_k.
struct distmult : triple_formula {
  using library_model = distmult;
  static constexpr std::string_view name = "distmult";
  static constexpr std::size_t epochs = 40;  ///< the default

  /// The model without options, and without data.
  static distmult usual() {
    distmult m;
    m.composition = triple_composition::product;
    m.factors = 256;
    m.negatives = 512;
    m.dropout = 0.5f;
    m.n3 = 0.07f;
    return m;
  }
};

}  // namespace hogwild
