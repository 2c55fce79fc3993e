// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <hogwild/detail/words/analogies.hpp>
#include <hogwild/detail/words/subword_vectors.hpp>

namespace hogwild {

/// Two words, and how similar people find them.
struct word_pair {
  std::array<std::string, 2> words;
  double score = 0.0;
  std::size_t set = 0;
};

/// Pairs in sets, each of which has a scale of its own.
struct similarity_pairs {
  std::vector<std::string> sets;
  std::vector<word_pair> pairs;
};

/// Reads lines "WORD TAB WORD TAB SCORE", or "SET TAB WORD TAB WORD TAB SCORE", where the lines of a set need not stand
/// together; a line of three fields may have blanks in the place of tabs. Empty lines and those that begin with # are
/// skipped. `name` is used in messages. Throws format_error for any other line, input_error if there is no pair.
similarity_pairs parse_similarities(std::string_view text, const std::string& name);

/// What word vectors are asked.
using word_questions = std::variant<analogy_questions, similarity_pairs>;

/// Reads analogies or similarities, plain or compressed; the first line that is not skipped tells which they are.
/// Throws as parse_analogies() and parse_similarities() do, and input_error if the file cannot be read.
word_questions load_word_questions(const std::string& path);

/// How well cosines of vectors order the pairs of a set.
struct similarity_result {
  std::string set;
  std::optional<double> spearman{};   ///< nothing if it is not defined
  std::size_t found = 0, missed = 0;  ///< pairs with both words in the vocabulary, and other pairs
};

/// For each set, in their order, the correlation of the scores with the cosines of the words' vectors. Words are looked
/// up as in answer_analogies(), others have vectors of their parts; pairs with a word that has none are left out.
std::vector<similarity_result> measure_similarities(const known_words& words, const similarity_pairs& asked);

/// Spearman's correlation: Pearson's of the numbers' places in ascending order, where equal numbers have the mean of
/// theirs. Nothing if there are fewer than two numbers, or if all of one side are equal. The sides have the same size,
/// and no NaN.
std::optional<double> spearman(std::span<const double> a, std::span<const double> b);

}  // namespace hogwild
