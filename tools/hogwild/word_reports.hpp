// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <hogwild/detail/words/analogies.hpp>

namespace hogwild::cli {

/// Answers the questions, which messages call `source`, with the word vectors of a file; returns what to print: a line
/// for each section and one for all, or one JSON object. Throws input_error if the file is not valid, or no question
/// can be answered.
std::string analogies_report(const std::string& vectors, const analogy_questions& questions, const std::string& source,
                             bool json);

/// The same for what a file asks: analogies, or pairs of words, of which each set has a line. Throws input_error if no
/// pair has both its words in the vectors.
std::string words_report(const std::string& vectors, const std::string& questions, bool json);

}  // namespace hogwild::cli
