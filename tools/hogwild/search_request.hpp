// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/measures.hpp>
#include <hogwild/search.hpp>

#include "train_request.hpp"

namespace hogwild::cli {

/// The metric by which a search compares trials.
struct search_metric {
  std::string_view name;
  bool more_is_better;
  std::optional<double> measurement::*value;  ///< null: the loss
  bool sorts;                                 ///< as of a measure

  std::optional<double> of(const measurement& m) const { return value == nullptr ? m.loss : m.*value; }
  /// Converts to the value that a search compares, lower is better, and back: the sign changes if high values are good.
  double turned(double x) const { return more_is_better ? 0.0 - x : x; }  // no -0
};

/// The loss and all measures of training.
inline const std::vector<search_metric>& search_metrics() {
  static const std::vector<search_metric> all = [] {
    std::vector<search_metric> made{{"loss", false, nullptr, false}};
    for (const measure& each : all_measures())
      if (each.in_training()) made.push_back({each.name, each.more_is_better, each.value, each.sorts});
    return made;
  }();
  return all;
}

/// The request of `hogwild search`.
struct search_request {
  train_request base{};              ///< common to all trials
  std::vector<std::string> words{};  ///< its options with which a trial is trained, as --NAME=TEXT
  std::vector<std::string> spaces{};
  search_options options{};
  std::optional<std::size_t> configurations{}, eta{}, folds{};
  const search_metric* metric = &search_metrics().front();
  std::size_t side_by_side = 1;  ///< trials at once on one rank, each by one worker; 0: as many as it has workers
};

/// Fills the request, or returns the exit code with which to end. Throws config_error for incompatible options.
std::optional<int> parse_search(int argc, const char* const* argv, search_request& request);

/// The space; its options must be allowed for trials. Throws config_error.
search_space space_of(const search_request& request);

/// Makes requests to train configurations, one after the other: the options of a command line are declared only once,
/// which takes longer than reading one.
class configuration_reader {
 public:
  /// `request` outlives it.
  explicit configuration_reader(const search_request& request);

  /// Reads these options as if they followed the common ones on the command line of train. If they are invalid, the
  /// error has been printed, and the exit code is returned. Throws config_error for incompatible options, and for
  /// options that trials cannot have.
  std::optional<int> read(const configuration& options, train_request& of_trial);

 private:
  const search_request& request_;
  train_request read_{};  ///< filled by the parsed line
  command_line line_;
};

/// The command line that trains it, ready to paste.
std::string train_command_for(const search_request& request, const trial& of);

}  // namespace hogwild::cli
