// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <hogwild/detail/kernels/window_kernels.hpp>
#include <hogwild/detail/math/random.hpp>
#include <hogwild/model.hpp>
#include <hogwild/option_values.hpp>

// The common part of skip_gram and cbow: two vectors a word, sentences with their frequent words subsampled, and
// windows that move over them with words drawn at random as negative samples (Mikolov and others, Distributed
// representations of words and phrases and their compositionality, 2013). All pairs of a window share the drawn words,
// so its products are those of small matrices (Ji and others, Parallelizing word2vec in shared and distributed memory,
// 2016). In the hierarchical form the steps down to a word in a Huffman tree of the words distinguish it from all
// others, one binary decision each (Morin and Bengio, Hierarchical probabilistic neural network language model, 2005;
// the tree as in the paper of 2013).

namespace hogwild {

/// The options of a model of words and their neighbours.
struct window_model {
  using scalar_type = float;
  static constexpr bool scored = false;  ///< sentences have no labels
  static constexpr bool repeats = true;  ///< but words may occur several times
  static constexpr std::size_t measured_rows = 200;
  static constexpr sharing_kind sharing = sharing_kind::direct;

  std::size_t words = 0;  ///< rows: the size of the vocabulary
  std::size_t dimension = 100;
  std::uint32_t window = 5;    ///< most neighbours on each side; the number is drawn for each word
  std::uint32_t negative = 5;  ///< negative samples for each window
  double sample = 1e-4;        ///< words above this fraction of the text are subsampled; 0: none are
  /// A hierarchical softmax instead of negative samples: the outputs are those of the inner nodes of a tree of the
  /// words.
  bool hierarchical = false;

  /// A vector's floats in memory: padded with zeros, which stay zero.
  std::size_t width() const { return (dimension + window_lanes - 1) / window_lanes * window_lanes; }
  /// A row is a word's vector as a neighbour (input), followed by its vector as the word in the middle (output). In a
  /// hierarchical model the output is that of the tree's node with the word's number; that of the last word is unused.
  /// Words and nodes are both numbered by falling popularity.
  std::size_t row() const { return 2 * width(); }
  std::size_t input_of(std::size_t word) const { return word * row(); }
  std::size_t output_of(std::size_t word_or_node) const { return word_or_node * row() + width(); }

  /// Random numbers of a window: for its radius, and for each drawn word.
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
