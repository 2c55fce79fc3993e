// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <hogwild/detail/words/subwords.hpp>
#include <hogwild/detail/words/word_rows.hpp>

// The common part of skip_gram and cbow: two vectors a word, sentences with their frequent words subsampled, and
// windows that move over them with words drawn at random as negative samples (Mikolov and others, Distributed
// representations of words and phrases and their compositionality, 2013). All pairs of a window share the drawn words,
// so its products are those of small matrices (Ji and others, Parallelizing word2vec in shared and distributed memory,
// 2016). In the hierarchical form the steps down to a word in a Huffman tree of the words distinguish it from all
// others, one binary decision each (Morin and Bengio, Hierarchical probabilistic neural network language model, 2005;
// the tree as in the paper of 2013).
//
// Words may have parts (detail/words/subwords.hpp) with vectors of their own. The input of a word with n parts is then
// the sum of its own vector and theirs, divided by the square root of n + 1. It has the direction of fastText's mean.
// With this divisor the derivative moves it as far as the vector of a word without parts, whatever n; with n + 1 it
// would move it so many times less.

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
  subword_shape subwords{};
  std::size_t parts = 0;  ///< of the words of the text, each with a vector
  /// Rows of the text, each with a vector that stands among the neighbours of each of its words. 0: there are none.
  std::size_t documents = 0;
  bool neighbours = true;  ///< whether the neighbours of a word themselves do

  /// With parts all steps are so many times as long: fastText's is twice that of word2vec.
  static constexpr double step_with_parts = 2.0;

  std::size_t part_at(std::size_t part) const { return words * row() + part * width(); }
  std::size_t document_at(std::size_t document) const { return part_at(parts + document); }
  std::size_t dim() const { return document_at(documents); }
  std::vector<parameter_group> groups() const {
    std::vector<parameter_group> all{{.name = "words", .rows = words, .width = row()}};
    if (documents > 0)
      all.push_back(
          {.name = "documents", .offset = document_at(0), .rows = documents, .width = width(), .hot_first = false});
    if (parts == 0) return all;
    all.push_back({.name = "subwords", .offset = part_at(0), .rows = parts, .width = width(), .hot_first = false});
    for (parameter_group& g : all) g.step_factor = step_with_parts;
    return all;
  }
  /// The factor of the sum of a word's vector and those of its parts.
  static float factor_of(std::size_t vectors) { return 1.0f / std::sqrt(static_cast<float>(vectors)); }

  /// Vectors of parts and of documents begin as inputs do.
  void init(const auto& view, const counter_random& random) const {
    word_rows::init(view, random);
    const double scale = 1.0 / static_cast<double>(dimension);
    for (std::size_t part = 0; part < parts + documents; ++part)
      for (std::size_t k = 0; k < dimension; ++k)
        view.store(part_at(part) + k,
                   static_cast<float>((random.uniform((words + part) * dimension + k) - 0.5) * scale));
  }

  /// Random numbers of a window: for its radius, and for each drawn word.
  std::size_t draws() const { return hierarchical ? 1 : negative + 1; }

  std::vector<double> hyperparameters() const {
    std::vector<double> all{static_cast<double>(dimension), static_cast<double>(window),
                            static_cast<double>(hierarchical ? 0 : negative), sample};
    if (subwords.any())
      for (const std::uint32_t n : {subwords.least, subwords.most, subwords.buckets}) all.push_back(n);
    return all;
  }
};

}  // namespace hogwild
