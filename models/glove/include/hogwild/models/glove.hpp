// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>

#include <hogwild/models/matrix_factorization.hpp>

namespace hogwild {

/// Word vectors from the counts of words that stand near each other: the loss of a word i and another one j that count
/// x (detail/words/cooccurrences.hpp) is
///
///   f(x) (w_i . c_j + b_i + d_j - ln x)^2 / 2,   f(x) = min(1, (x / x_max)^(3/4))
///
/// (Pennington, Socher, Manning, GloVe: global vectors for word representation, 2014). The vector of a word is w + c.
/// The pairs are ratings of words by words with the value ln x, so that blocks of them have owners, and no two workers
/// change the same row.
struct glove : matrix_factorization {
  static constexpr std::string_view name = "glove";
  using library_model = glove;
  using kernel_model = glove;
  static constexpr std::size_t epochs = 25;            ///< the default
  static constexpr std::size_t usual_dimension = 100;  ///< the default number of factors
  static constexpr std::size_t usual_window = 10;      ///< the default number of words on each side that are counted
  static constexpr double usual_x_max = 10.0;          ///< the default x_max
  static constexpr training_defaults defaults{
      .step = 0.1, .decay = 1.0, .optimizer = optimizer_kind::row_adagrad, .form = l2_form::per_occurrence};

  float full_weight_from = static_cast<float>(std::log(usual_x_max));  ///< ln x_max

  std::array<double, 2> hyperparameters() const { return {static_cast<double>(factors), full_weight_from}; }
  std::array<parameter_group, 4> groups() const {
    auto all = matrix_factorization::groups();
    constexpr std::array<std::string_view, 4> names{"words", "contexts", "word_bias", "context_bias"};
    for (std::size_t g = 0; g < all.size(); ++g) all[g].name = names[g];
    return all;
  }

  /// f(x) of the pair whose rating is ln x.
  float weight_of(float rating) const { return std::exp(0.75f * std::min(rating - full_weight_from, 0.0f)); }
  /// f(x) times the loss of matrix_factorization.
  double loss_of(float score, float rating) const {
    return static_cast<double>(weight_of(rating)) * matrix_factorization::loss_of(score, rating);
  }
  double loss(const auto& w, const example_type& z) const { return loss_of(predict(w, z), z.label); }
  void gradient(const auto& w, const example_type& z, const auto& emit) const {
    emit_error(w, z, weight_of(z.label) * (predict(w, z) - z.label), emit);
  }
};

}  // namespace hogwild
