// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "support/toy_data.hpp"

namespace hogwild::test {

/// Rows that have all columns, with labels that no margin reaches. The median's slope is -1/2 there (quantile): each
/// row adds 1/2 of the step to each weight, without rounding where that is a power of two, in whatever order.
inline toy_rows rows_far_from_their_labels(std::size_t rows, std::size_t columns) {
  toy_rows data;
  data.columns = columns;
  std::vector<std::uint32_t> all(columns);
  std::iota(all.begin(), all.end(), 0u);
  for (std::size_t r = 0; r < rows; ++r) data.push(all, std::vector<float>(columns, 1.0f), 1e9f);
  return data;
}

}  // namespace hogwild::test
