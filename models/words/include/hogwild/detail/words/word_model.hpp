// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <hogwild/detail/words/vocabulary.hpp>
#include <hogwild/models.hpp>
#include <hogwild/saved_model.hpp>

// Word vectors as a saved model: with what it takes to measure them on text as a training run does. A row is a word's
// input and behind it its output, and its name is the word. Of a hierarchical model the output is that of the node with
// the row's number, and how often the word occurred stands before its input: the counts say which tree it is.

namespace hogwild {

/// What trained words are saved as; `min_count` is that of the corpus. Throws config_error for a model of no words, and
/// for sizes that do not fit.
saved_model word_model_of(const named_model& m, std::span<const float> parameters, const vocabulary& words,
                          std::uint64_t min_count);

/// What its corpus was read with.
std::uint64_t min_count_of(const saved_model& saved);
/// Of a hierarchical model the words and counts, with which any text that it is measured on is to be read
/// (corpus_options::words); counts of more than 2^24 are rounded. None of other models. Throws input_error where they
/// are no counts.
std::optional<vocabulary> words_of(const saved_model& saved);
/// What was saved, made for so many words. Throws input_error where it cannot be.
named_model model_of_words(const saved_model& saved, std::size_t words);
/// The parameters of that model on a corpus with these words, `source`: those of words_of() where there are. Throws
/// input_error for a word that is not in the model.
std::vector<float> parameters_of_words(const saved_model& saved, const named_model& m, const vocabulary& words,
                                       const std::string& source);

}  // namespace hogwild
