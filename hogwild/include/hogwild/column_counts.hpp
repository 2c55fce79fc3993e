// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <hogwild/core/dataset.hpp>

namespace hogwild {

/// Rows that contain each column. Columns are below data.columns.
inline std::vector<std::uint32_t> count_columns(const sparse_view& data) {
  std::vector<std::uint32_t> degree(data.columns);
  for (std::size_t k = data.row_start.front(); k < data.row_start.back(); ++k) ++degree[data.index[k]];
  return degree;
}

}  // namespace hogwild
