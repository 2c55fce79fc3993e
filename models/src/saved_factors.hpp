// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <hogwild/core/saved_model.hpp>
#include <hogwild/models/matrix_factorization.hpp>
#include <hogwild/models/registry.hpp>

// Factors in saved models: of each user and item its factors and its bias side by side, without padding.

namespace hogwild::detail {

/// Model and labels are the caller's to fill in; `columns` are all column numbers, `ranks` the order of the saved ones.
/// Throws config_error where the sizes do not fit.
saved_model factors_to_saved(const matrix_factorization& m, std::span<const float> parameters,
                             std::span<const std::uint32_t> columns, std::span<const std::uint32_t> ranks);

/// What make_model needs to know of saved factors. Throws input_error, which names it, where that is missing or out of
/// range.
void choose_factors(const saved_model& saved, model_choice& choice);

/// Factors as they are trained, and the model's column of each saved one.
struct read_factors {
  std::vector<float> parameters;
  std::vector<std::uint32_t> places;
};
/// Throws input_error where the sizes do not fit.
read_factors factors_from_saved(const matrix_factorization& m, const saved_model& saved);

}  // namespace hogwild::detail
