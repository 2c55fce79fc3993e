// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include <hogwild/detail/embeddings/triple_model.hpp>

namespace hogwild {

/// Complex products (Trouillon and others, Complex embeddings for simple link prediction, 2016): the score of a triple
/// is the real part of the sum over k of h_k r_k conj(t_k).
struct complex : triple_formula {
  using library_model = complex;
  static constexpr std::string_view name = "complex";
  static constexpr std::size_t epochs = 24;  ///< the default

  /// The model without options, and without data.
  static complex usual() {
    complex m;
    m.composition = triple_composition::complex_product;
    m.factors = 200;
    m.negatives = 512;
    m.dropout = 0.5f;
    m.n3 = 0.1f;
    return m;
  }
};

}  // namespace hogwild
