// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <hogwild/detail/kernels/window_kernels.hpp>
#include <hogwild/detail/optimization/random.hpp>
#include <hogwild/model.hpp>
#include <hogwild/option_values.hpp>

// What skip_gram and cbow share: two vectors a word, sentences with their frequent words subsampled, and windows that
// walk over them with words drawn at random for contrast (Mikolov and others, Distributed representations of words and
// phrases and their compositionality, 2013). The drawn words are shared by all pairs of a window, which makes its
// products those of small matrices (Ji and others, Parallelizing word2vec in shared and distributed memory, 2016). Or,
// hierarchically, a word is told from all others by the steps down to it in a Huffman tree of the words, a yes or no
// each (Morin and Bengio, Hierarchical probabilistic neural network language model, 2005; the tree as in the paper of
// 2013).

namespace hogwild {

/// What a model of words and their neighbours is made with.
struct window_model {
  using scalar_type = float;
  static constexpr bool scored = false;  ///< sentences have no labels
  static constexpr bool repeats = true;  ///< but words that come again
  static constexpr std::size_t measured_rows = 200;
  static constexpr sharing_kind sharing = sharing_kind::direct;

  std::size_t words = 0;  ///< rows: the size of the vocabulary
  std::size_t dimension = 100;
  std::uint32_t window = 5;    ///< neighbours on each side, at most; how many is drawn for each word
  std::uint32_t negative = 5;  ///< words that are drawn for contrast, for each window
  double sample = 1e-4;        ///< of words that are a larger fraction of the text some are left out; 0: of none
  /// A hierarchical softmax, not words that are drawn: the outputs are those of the inner nodes of a tree of the words.
  bool hierarchical = false;

  /// A vector's floats in memory: padded with zeros, which stay zeros.
  std::size_t width() const { return (dimension + window_lanes - 1) / window_lanes * window_lanes; }
  /// A row is a word's vector as a neighbour (input), and behind it the one as the word that has neighbours (output);
  /// of a hierarchical model the output is that of the tree's node with the word's number, of the last word of nothing.
  /// Words and nodes are both numbered by falling popularity.
  std::size_t row() const { return 2 * width(); }
  std::size_t input_of(std::size_t word) const { return word * row(); }
  std::size_t output_of(std::size_t word_or_node) const { return word_or_node * row() + width(); }

  /// Random numbers of a window: for its radius, and for each word that is drawn.
  std::size_t draws() const { return hierarchical ? 1 : negative + 1; }

  std::size_t dim() const { return words * row(); }
  std::array<double, 4> hyperparameters() const {
    return {static_cast<double>(dimension), static_cast<double>(window),
            static_cast<double>(hierarchical ? 0 : negative), sample};
  }
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
