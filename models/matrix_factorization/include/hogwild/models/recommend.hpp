// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hogwild/saved_model.hpp>

namespace hogwild {

/// An item, and the rating that the model predicts for it.
struct recommendation {
  std::uint32_t item = 0;  ///< its number in the ratings
  float score = 0.0f;      ///< the predicted rating

  bool operator==(const recommendation&) const = default;
};

/// The `top` items with the highest scores for a user, the best first; of equal scores the smaller number first. Fewer
/// if the model does not have as many. Items in `seen`, which ascends, are left out. Throws input_error for a model
/// that is not a matrix_factorization and for a user that it does not know.
std::vector<recommendation> recommend(const saved_model& model, std::uint32_t user, std::size_t top,
                                      std::span<const std::uint32_t> seen = {});

}  // namespace hogwild
