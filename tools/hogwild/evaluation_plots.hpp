// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "evaluation.hpp"

namespace hogwild::cli {

/// Draws the answers of a model for the rows of `data`, as SVG files in a folder, which is made if it is missing: of
/// two labels roc.svg, precision_recall.svg, gains.svg and, if the model has probabilities, reliability.svg; of several
/// classes with probabilities reliability.svg. Returns the paths. Throws config_error for other models, and rows of one
/// label; input_error or resource_error if a file cannot be written.
std::vector<std::string> write_plots(const std::string& folder, const evaluation& of, const std::string& data);

}  // namespace hogwild::cli
