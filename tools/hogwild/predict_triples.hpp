// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include <hogwild/registry.hpp>

#include "data_files.hpp"

namespace hogwild::cli {

/// Answers the triples of a file, whose format `files` has chosen by the model: a line for each, with the `top` best
/// entities, the best first, where the tail or the head is `?`, or else with its score. With `json` lines are objects,
/// which have scores, too; else names stand between tabs. Throws input_error for a name that the model does not know.
std::string answers_to_triples(const predictor& model, const std::string& path, const data_options& files,
                               std::size_t top, bool json);

}  // namespace hogwild::cli
