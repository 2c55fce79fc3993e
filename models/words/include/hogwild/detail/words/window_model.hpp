// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <hogwild/detail/words/word_rows.hpp>

// The common part of skip_gram and cbow: two vectors a word, sentences with their frequent words subsampled, and
// windows that move over them with words drawn at random as negative samples (Mikolov and others, Distributed
// representations of words and phrases and their compositionality, 2013). All pairs of a window share the drawn words,
// so its products are those of small matrices (Ji and others, Parallelizing word2vec in shared and distributed memory,
// 2016). In the hierarchical form the steps down to a word in a Huffman tree of the words distinguish it from all
// others, one binary decision each (Morin and Bengio, Hierarchical probabilistic neural network language model, 2005;
// the tree as in the paper of 2013).

namespace hogwild {

/// The options of a model of words and their neighbours. In a hierarchical model the output of a word is that of the
/// tree's node with its number; that of the last word is unused. Words and nodes are both numbered by falling
/// popularity.
struct window_model : word_rows {
  static constexpr bool repeats = true;  ///< words may occur several times in a sentence
  static constexpr std::size_t measured_rows = 200;

  std::uint32_t window = 5;    ///< most neighbours on each side; the number is drawn for each word
  std::uint32_t negative = 5;  ///< negative samples for each window
  double sample = 1e-4;        ///< words above this fraction of the text are subsampled; 0: none are
  /// A hierarchical softmax instead of negative samples: the outputs are those of the inner nodes of a tree of the
  /// words.
  bool hierarchical = false;

  /// Random numbers of a window: for its radius, and for each drawn word.
  std::size_t draws() const { return hierarchical ? 1 : negative + 1; }

  std::array<double, 4> hyperparameters() const {
    return {static_cast<double>(dimension), static_cast<double>(window),
            static_cast<double>(hierarchical ? 0 : negative), sample};
  }
};

}  // namespace hogwild
