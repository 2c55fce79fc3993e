// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <hogwild/detail/platform/isa.hpp>

namespace hogwild::cli {

/// Answers the questions of a file with the word vectors of another one; returns what to print: a line for each section
/// and one for all, or one JSON object. Throws input_error if a file is not valid, or no question can be answered.
std::string analogies_report(const std::string& vectors, const std::string& questions, isa set, bool json);

}  // namespace hogwild::cli
