// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/registry.hpp>

#include "data_files.hpp"

namespace hogwild::cli {

/// What a model says of a triple.
struct triple_answer {
  bool asks = false;   ///< a name is asked for
  double score = 0.0;  ///< of the triple, if none is
  /// Else the best entities there with their scores, the best first.
  std::vector<std::pair<std::string, double>> entities{};
};

/// Answers the triples of a file, whose format `files` has chosen by the model: those whose tail or head is `?` by the
/// `top` best entities. Throws input_error for a name that the model does not know.
std::vector<triple_answer> answers_to_triples(const predictor& model, const std::string& path,
                                              const data_options& files, std::size_t top);

/// A line for each answer. With `json` lines are objects, which have the scores of entities, too; else names stand
/// between tabs.
std::string text_of_answers(const std::vector<triple_answer>& answers, bool json);

}  // namespace hogwild::cli
