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

/// What --folds and --path ask for. A request to choose an l2 is in the options of the run.
struct folds_request {
  std::optional<std::size_t> folds{};
  std::string path_text{};
  std::vector<double> path{};  ///< values of l2; empty: no path

  bool any() const { return folds || !path_text.empty() || !path.empty(); }
};

/// The results besides the run.
struct folds_outcome {
  std::optional<fold_measures> measured{};
  std::vector<path_point> path{};
};

/// Throws config_error where --folds is given and less than 2.
void check_number_of_folds(const std::optional<std::size_t>& folds);
void declare_folds(command_line& line, folds_request& r);
/// Reads the path, and passes the number of folds on to the choice of an l2. Throws config_error for incompatible
/// options.
void complete_folds(const command_line& line, train_request& r);

/// Lines after the summary of the run: measures of folds, or a table of the path or of the l2 that were tried.
std::string folds_text(const train_result& result, const folds_outcome& outcome);
void put_folds(nlohmann::ordered_json& into, const train_result& result, const folds_outcome& outcome);

}  // namespace hogwild::cli
