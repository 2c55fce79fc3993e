// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include <hogwild/cross_validation.hpp>
#include <hogwild/result.hpp>

namespace hogwild::cli {

class command_line;
struct train_request;

/// What --folds and --path ask for. An l2 that is to be chosen stands in the options of the run.
struct folds_request {
  std::optional<std::size_t> folds{};
  std::string path_text{};
  std::vector<double> path{};  ///< l2 by l2; empty: there is none

  bool any() const { return folds || !path_text.empty() || !path.empty(); }
};

/// What came of it, beside the run.
struct folds_outcome {
  std::optional<fold_measures> measured{};
  std::vector<path_point> path{};
};

/// Throws config_error where --folds is given and less than 2.
void check_number_of_folds(const std::optional<std::size_t>& folds);
void declare_folds(command_line& line, folds_request& r);
/// Reads the path, and hands the number of folds to who chooses an l2. Throws config_error for options that do not go
/// together.
void complete_folds(const command_line& line, train_request& r);

/// Lines behind the summary of the run: measures of folds, a table of the path or of the l2 that were tried.
std::string folds_text(const train_result& result, const folds_outcome& outcome);
void put_folds(nlohmann::ordered_json& into, const train_result& result, const folds_outcome& outcome);

}  // namespace hogwild::cli
