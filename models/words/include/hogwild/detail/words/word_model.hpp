// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <hogwild/detail/words/subwords.hpp>
#include <hogwild/detail/words/vocabulary.hpp>
#include <hogwild/detail/words/window_model.hpp>
#include <hogwild/models.hpp>
#include <hogwild/saved_model.hpp>
#include <hogwild/word_vectors.hpp>

// Word vectors as a saved model, with what is needed to measure them on text as a training run does. A row is a word's
// input followed by its output, and its name is the word. In a hierarchical model the output is that of the node with
// the row's number, and the word's count precedes its input: the counts determine the tree. If words have parts, inputs
// include the vectors of these, which follow all rows, in the order in which the words have them (subword_table). A
// model of documents has counts, too, and the vectors of the documents follow all rows.

namespace hogwild {
namespace detail {

/// Where the vectors of words lie among the parameters of a model.
struct word_layout {
  std::size_t words = 0, dimension = 0;
  std::size_t stride = 0;             ///< from a word's vector to that of the next one
  std::vector<std::size_t> begins{};  ///< the first vectors; a word's vector is the sum of its vectors there
  /// A word's vector is not their sum: it has them one behind the other, each divided by its length.
  bool joined = false;

  /// Writes the vector of a word.
  void read(std::span<const float> parameters, std::size_t word, std::span<float> to) const;
  /// Writes the parameters of which read() makes this vector, but for their lengths. Returns how many there are.
  std::size_t write(std::span<const float> vector, std::size_t word, std::span<float> parameters) const;

 private:
  /// The numbers of its vector at one of the places.
  std::size_t numbers() const { return joined ? dimension / begins.size() : dimension; }
};
/// Nothing for a model without word vectors.
std::optional<word_layout> word_layout_of(const named_model& m);
/// See vectors_of(); of a model of documents those of the words.
word_vectors vectors_of_words(const named_model& m, std::span<const float> parameters, const vocabulary& words);

/// The options of a model of words; null for other models.
inline const window_model* windows_of(const named_model& m) {
  return std::visit(
      []<class M>(const M& concrete) -> const window_model* {
        if constexpr (std::derived_from<M, window_model>) return &concrete;
        return nullptr;
      },
      m);
}

}  // namespace detail

/// The saved form of trained words; `min_count` is that of the corpus. Throws config_error for a model that is not one
/// of words, and for sizes that do not fit.
saved_model word_model_of(const named_model& m, std::span<const float> parameters, const vocabulary& words,
                          std::uint64_t min_count);

/// The inputs of its words. Throws input_error if it is not valid.
word_vectors inputs_of(const saved_model& saved);
/// The parts of words that it has vectors of; nothing if it has none. Throws input_error if that is not valid.
std::optional<subword_shape> subwords_of(const saved_model& saved);
/// The min_count with which its corpus was read.
std::uint64_t min_count_of(const saved_model& saved);
/// How many documents it has vectors of.
std::size_t documents_in(const saved_model& saved);
/// For a hierarchical model, and one of documents, the words and counts with which any text to measure it on must be
/// read (corpus_options::words); counts above 2^24 are rounded. Nothing for other models. Throws input_error if they
/// are not counts.
std::optional<vocabulary> words_of(const saved_model& saved);
/// The saved model, made for `words` words, without parts: rows of words have inputs that include them. Throws
/// input_error if it cannot be made.
named_model model_of_words(const saved_model& saved, std::size_t words);
/// The parameters of that model for a corpus with these words, which messages call `source`. If words_of() returns
/// words, the corpus must be read with those. Throws input_error for a word that is not in the model.
std::vector<float> parameters_of_words(const saved_model& saved, const named_model& m, const vocabulary& words,
                                       const std::string& source);

}  // namespace hogwild
