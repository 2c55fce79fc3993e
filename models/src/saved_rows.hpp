// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include <hogwild/detail/models/descriptor.hpp>
#include <hogwild/error.hpp>

namespace hogwild::detail {

/// `width` parameters for each column, then as many that belong to no column, or none. Throws config_error for another
/// number of parameters.
inline saved_model rows_to_saved(const trained_parameters& trained, std::size_t width) {
  const std::size_t weights = trained.original.size() * width;
  if (trained.values.size() != weights && trained.values.size() != weights + width) {
    throw config_error("a model of " + std::to_string(trained.original.size()) + " columns cannot have " +
                       std::to_string(trained.values.size()) + " parameters");
  }
  saved_model saved;
  saved.width = width;
  saved.weights.reserve(weights);
  for (const std::uint32_t column : trained.saved_order) {
    const auto row = trained.values.subspan(column * width, width);
    saved.weights.insert(saved.weights.end(), row.begin(), row.end());
  }
  saved.bias.assign(trained.values.begin() + static_cast<std::ptrdiff_t>(weights), trained.values.end());
  return saved;
}

}  // namespace hogwild::detail
