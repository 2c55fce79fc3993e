// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include <hogwild/detail/math/random.hpp>

namespace hogwild::detail {

inline constexpr std::uint64_t row_shuffle_seed = 2011;

/// Puts the rows of a training set from the order of the input into the order of its dataset: the same for every set
/// with this number of rows.
template <class Row>
void shuffle_rows(std::vector<Row>& rows) {
  const counter_random random(row_shuffle_seed, 0);
  for (std::uint64_t left = rows.size(); left > 1; --left) std::swap(rows[left - 1], rows[random.below(left, left)]);
}

/// The number in the input, from 0, of each row of such a dataset.
inline std::vector<std::uint32_t> shuffled_rows(std::size_t rows) {
  std::vector<std::uint32_t> order(rows);
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  shuffle_rows(order);
  return order;
}

/// The place in the file of each row of the text: the inverse of shuffle_rows(), by the same exchanges in reverse.
inline std::vector<std::uint32_t> shuffled_targets(std::size_t rows) {
  const counter_random random(row_shuffle_seed, 0);
  std::vector<std::uint32_t> target(rows);
  std::iota(target.begin(), target.end(), std::uint32_t{0});
  for (std::uint64_t left = 2; left <= rows; ++left) std::swap(target[left - 1], target[random.below(left, left)]);
  return target;
}

}  // namespace hogwild::detail
