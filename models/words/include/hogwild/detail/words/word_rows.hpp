// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include <hogwild/detail/kernels/window_kernels.hpp>
#include <hogwild/detail/math/random.hpp>
#include <hogwild/model.hpp>
#include <hogwild/option_values.hpp>

namespace hogwild {

/// The parameters of models that give each word two vectors: one as a neighbour (input), and one as the word in the
/// middle (output).
struct word_rows {
  using scalar_type = float;
  static constexpr bool scored = false;  ///< there are no labels
  static constexpr sharing_kind sharing = sharing_kind::direct;

  std::size_t words = 0;  ///< rows: the size of the vocabulary
  std::size_t dimension = 100;

  /// A vector's floats in memory: padded with zeros, which stay zero.
  std::size_t width() const { return (dimension + window_lanes - 1) / window_lanes * window_lanes; }
  /// A row is a word's input, followed by its output.
  std::size_t row() const { return 2 * width(); }
  std::size_t input_of(std::size_t word) const { return word * row(); }
  std::size_t output_of(std::size_t word) const { return word * row() + width(); }
  std::size_t dim() const { return words * row(); }
  std::array<parameter_group, 1> groups() const { return {{{.name = "words", .rows = words, .width = row()}}}; }

  /// Inputs uniform in (-0.5, 0.5) / dimension; outputs stay zero.
  void init(const auto& view, const counter_random& random) const {
    const double scale = 1.0 / static_cast<double>(dimension);
    for (std::size_t word = 0; word < words; ++word)
      for (std::size_t k = 0; k < dimension; ++k)
        view.store(input_of(word) + k, static_cast<float>((random.uniform(word * dimension + k) - 0.5) * scale));
  }
};

}  // namespace hogwild
