// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include <hogwild/result.hpp>

namespace hogwild::cli {

/// The metric by which a search compares trials.
struct search_metric {
  std::string_view name;
  bool more_is_better;
  std::optional<double> (*of)(const measurement& m);

  /// Converts to the value that a search compares, lower is better, and back: the sign changes if high values are good.
  double turned(double value) const { return more_is_better ? -value : value; }
};

inline constexpr std::array<search_metric, 10> search_metrics{
    {{"loss", false, [](const measurement& m) { return std::optional(m.loss); }},
     {"accuracy", true, [](const measurement& m) { return m.accuracy; }},
     {"auc", true, [](const measurement& m) { return m.auc; }},
     {"f1", true, [](const measurement& m) { return m.f1; }},
     {"rmse", false, [](const measurement& m) { return m.rmse; }},
     {"precision_at_1", true, [](const measurement& m) { return m.precision_at_1; }},
     {"precision_at_3", true, [](const measurement& m) { return m.precision_at_3; }},
     {"precision_at_5", true, [](const measurement& m) { return m.precision_at_5; }},
     {"micro_f1", true, [](const measurement& m) { return m.micro_f1; }},
     {"macro_f1", true, [](const measurement& m) { return m.macro_f1; }}}};

}  // namespace hogwild::cli
