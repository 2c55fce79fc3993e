// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/data/singleton_columns.hpp>

namespace hogwild {

column_range singleton_columns(const sparse_view& data, std::size_t first, std::size_t last) {
  const auto range = [&](const auto& index) -> column_range {
    const auto has_own = [&](std::size_t r) {
      return data.row_start[r] < data.row_start[r + 1] && index[data.row_start[r + 1] - 1] >= data.first_singleton;
    };
    while (first < last && !has_own(first)) ++first;
    while (first < last && !has_own(last - 1)) --last;
    if (first == last) return {};
    // Singleton columns come last in their row, and are numbered in the order of the rows.
    std::size_t entry = data.row_start[first + 1] - 1;
    while (entry > data.row_start[first] && index[entry - 1] >= data.first_singleton) --entry;
    return {index[entry], index[data.row_start[last] - 1] + std::size_t{1}};
  };
  if (data.first_singleton >= data.columns) return {};
  return data.has_narrow_index() ? range(data.index16) : range(data.index);
}

}  // namespace hogwild
