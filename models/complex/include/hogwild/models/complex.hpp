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
  static constexpr std::size_t epochs = 30;  ///< the default
  static constexpr training_defaults defaults{.step = 0.2,
                                              .decay = 0.1,
                                              .schedule = schedule_kind::cosine,
                                              .optimizer = optimizer_kind::row_adagrad,
                                              .batch = 128,
                                              .form = l2_form::per_occurrence};

  /// The model without options, and without data.
  static complex usual() {
    complex m;
    m.composition = triple_composition::complex_product;
    m.factors = 200;
    m.negatives = 512;
    m.dropout = 0.3f;
    m.n3 = 0.08f;
    return m;
  }
};

}  // namespace hogwild
