// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/results/parameter_order.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace hogwild {

parameter_order::parameter_order(std::span<const parameter_group> groups, std::span<const std::uint32_t> original)
    : columns_(original.begin(), original.end()) {
  const bool ascend = std::ranges::is_sorted(original);
  if (!ascend) std::ranges::sort(columns_);
  for (const parameter_group& g : groups) {
    // Rows for columns that the data do not have belong to no column.
    const std::size_t of_columns =
        g.hot_first && !ascend ? std::min(g.rows, original.size() - std::min(original.size(), g.first_column)) : 0;
    if (of_columns > 0) {
      moved_rows moved{g.offset, g.width, std::vector<std::uint32_t>(of_columns)};
      std::iota(moved.rows.begin(), moved.rows.end(), 0u);
      std::ranges::sort(moved.rows, {}, [&](std::uint32_t row) { return original[g.first_column + row]; });
      moved_.push_back(std::move(moved));
    }
    const std::size_t rest = g.offset + of_columns * g.width;
    if (of_columns < g.rows) fixed_.push_back({rest, (g.rows - of_columns) * g.width});
  }
}

std::vector<float> parameter_order::of(std::span<const float> parameters) const {
  std::vector<float> ordered(parameters.size());
  for_runs([&](std::size_t from, std::size_t to, std::size_t n) {
    std::ranges::copy(parameters.subspan(from, n), ordered.begin() + static_cast<std::ptrdiff_t>(to));
  });
  return ordered;
}

}  // namespace hogwild
