// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <hogwild/measures.hpp>

namespace hogwild::cli {

/// The metric by which a search compares trials.
struct search_metric {
  std::string_view name;
  bool more_is_better;
  std::optional<double> measurement::*value;  ///< null: the loss

  std::optional<double> of(const measurement& m) const { return value == nullptr ? m.loss : m.*value; }
  /// Converts to the value that a search compares, lower is better, and back: the sign changes if high values are good.
  double turned(double x) const { return more_is_better ? -x : x; }
};

/// The loss and all measures.
inline const std::vector<search_metric>& search_metrics() {
  static const std::vector<search_metric> all = [] {
    std::vector<search_metric> made{{"loss", false, nullptr}};
    for (const measure& each : all_measures()) made.push_back({each.name, each.more_is_better, each.value});
    return made;
  }();
  return all;
}

}  // namespace hogwild::cli
