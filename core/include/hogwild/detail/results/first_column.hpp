// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <hogwild/detail/results/saved_options.hpp>
#include <hogwild/saved_model.hpp>

// The number of the first column in the input of a saved model: 1 for LIBSVM text and images, else 0. Files store 1 as
// an option, which every model may have, and nothing if it is 0 or unknown.

namespace hogwild::detail {

inline constexpr const char* first_column_option = "first_column";

inline void say_first_column(saved_model& saved, std::uint32_t first_column) {
  if (first_column != 0) saved.model_options.emplace_back(first_column_option, first_column);
}

/// Throws input_error if the option is neither 0 nor 1.
inline std::uint32_t said_first_column(const saved_model& saved) {
  for (const auto& option : saved.model_options)
    if (option.first == first_column_option) return saved_flag(saved, first_column_option) ? 1 : 0;
  return 0;
}

}  // namespace hogwild::detail
