// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <hogwild/detail/results/saved_options.hpp>
#include <hogwild/option_values.hpp>
#include <hogwild/saved_model.hpp>

// The division of columns while a saved model was trained. The saved weights are those of the original columns, so
// predictions ignore it; but l1 and l2 applied to the weights of the divided columns. A file records it as a model
// option, which every model may have; without the option nothing was divided.

namespace hogwild::detail {

inline constexpr const char* scaling_option = "columns.scale";

inline void say_scaling(saved_model& saved, column_scaling scaling) {
  if (scaling != column_scaling::none)
    saved.model_options.emplace_back(scaling_option, static_cast<double>(static_cast<std::uint32_t>(scaling)));
}

/// Throws input_error if the option is not the number of a scaling that a run can do.
inline column_scaling said_scaling(const saved_model& saved) {
  constexpr auto least = static_cast<double>(column_scaling::max_abs),
                 most = static_cast<double>(column_scaling::standard);
  for (const auto& option : saved.model_options) {
    if (option.first != scaling_option) continue;
    return static_cast<column_scaling>(static_cast<std::uint32_t>(saved_option(
        saved, scaling_option, [](double x) { return x == least || x == most; }, "2 (max_abs) or 3 (standard)")));
  }
  return column_scaling::none;
}

}  // namespace hogwild::detail
