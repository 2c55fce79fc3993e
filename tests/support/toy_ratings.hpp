// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include <hogwild/detail/math/random.hpp>
#include <hogwild/models/matrix_factorization.hpp>

#include "support/toy_data.hpp"

namespace hogwild::test {

struct toy_ratings_shape {
  std::size_t users = 120, items = 80, ratings = 6000;
  std::uint64_t seed = 1;
};

/// Ratings around 3: the products of a user's two tastes with an item's, plus a bias of each, and a little noise. Users
/// and items with small numbers occur more often, as for column positions.
inline toy_rows planted_ratings(const toy_ratings_shape& shape = {}) {
  const counter_random who(shape.seed, 1), taste(shape.seed, 2), noise(shape.seed, 3);
  const auto often = [](double uniform, std::size_t count) {
    return static_cast<std::uint32_t>(std::pow(uniform, 1.5) * static_cast<double>(count));
  };
  const auto trait = [&](std::size_t column, std::size_t k) { return 2.0 * taste.uniform(4 * column + k) - 1.0; };
  toy_rows rows;
  rows.columns = shape.users + shape.items;
  for (std::size_t r = 0; r < shape.ratings; ++r) {
    const std::uint32_t user = often(who.uniform(2 * r), shape.users);
    const std::size_t item = shape.users + often(who.uniform(2 * r + 1), shape.items);
    const double score = 3.0 + trait(user, 0) * trait(item, 0) + trait(user, 1) * trait(item, 1) +
                         0.5 * (trait(user, 2) + trait(item, 2)) + 0.2 * (noise.uniform(r) - 0.5);
    rows.push({user, static_cast<std::uint32_t>(item)}, {1.0f, 1.0f}, static_cast<float>(score));
  }
  return rows;
}

inline matrix_factorization factors_of(const toy_ratings_shape& shape, std::size_t factors = 4, bool bias = true) {
  return {.users = shape.users, .items = shape.items, .factors = factors, .bias = bias, .mean = 3.0f};
}

}  // namespace hogwild::test
