// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string_view>

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

inline constexpr std::array search_metrics = [] {
  std::array<search_metric, 1 + measures.size()> all{{{"loss", false, nullptr}}};
  for (std::size_t i = 0; i < measures.size(); ++i)
    all[i + 1] = {measures[i].name, measures[i].more_is_better, measures[i].value};
  return all;
}();

}  // namespace hogwild::cli
