// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <hogwild/search.hpp>

#include "search_metric.hpp"
#include "train_request.hpp"

namespace hogwild::cli {

/// What `hogwild search` was asked for.
struct search_request {
  train_request base{};              ///< what all trials have in common
  std::vector<std::string> words{};  ///< the options of it that a trial is trained with, as --NAME=TEXT
  std::vector<std::string> spaces{};
  search_options options{};
  std::optional<std::size_t> configurations{}, eta{}, folds{};
  const search_metric* metric = search_metrics.data();
  std::size_t side_by_side = 1;  ///< trials of one rank, each by one worker; 0: as many as it has workers
};

/// Fills the request, or says with which exit code to end. Throws config_error for options that do not go together.
std::optional<int> parse_search(int argc, const char* const* argv, search_request& request);

/// The space, whose options are such as a trial may have. Throws config_error.
search_space space_of(const search_request& request);

/// Makes requests to train configurations, one after the other: all that a command line may hold is declared once,
/// which takes longer than to read one.
class configuration_reader {
 public:
  /// `request` outlives it.
  explicit configuration_reader(const search_request& request);

  /// As if these options stood on the command line of train behind those that all have. Where they do not hold, what is
  /// wrong has been told, and the exit code is returned. Throws config_error for options that do not go together, and
  /// for such as a trial cannot have.
  std::optional<int> read(const configuration& options, train_request& of_trial);

 private:
  const search_request& request_;
  train_request read_{};  ///< what the line fills
  command_line line_;
};

/// The command line that trains it, to be pasted.
std::string train_command_for(const search_request& request, const trial& of);

}  // namespace hogwild::cli
