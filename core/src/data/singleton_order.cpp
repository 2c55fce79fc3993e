// SPDX-License-Identifier: Apache-2.0
#include "data/singleton_order.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hogwild::detail {
namespace {

constexpr std::size_t rows_at_once = 1024;

/// Positions, from `first` on, in the order in which the rows have them.
std::vector<std::uint32_t> positions_by_row(const parsed_text& text, std::span<const row_plan::place> order,
                                            const column_order& columns, std::uint32_t first) {
  std::vector<std::vector<std::uint32_t>> parts((order.size() + rows_at_once - 1) / rows_at_once);
  tbb::parallel_for(std::size_t{0}, parts.size(), [&](std::size_t part) {
    const std::size_t last = std::min((part + 1) * rows_at_once, order.size());
    for (std::size_t r = part * rows_at_once; r < last; ++r) {
      const libsvm_block& block = text.blocks[order[r].block];
      const std::uint32_t row = order[r].row, end = block.row_end[row];
      for (std::uint32_t k = row == 0 ? 0 : block.row_end[row - 1]; k < end; ++k) {
        const std::uint32_t position = columns.position.empty() ? block.index[k] : columns.position[block.index[k]];
        if (position >= first) parts[part].push_back(position);
      }
    }
  });
  std::vector<std::uint32_t> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace

void order_singletons(parsed_text& text, std::span<const row_plan::place> order, column_order& columns) {
  const std::uint32_t first = columns.first_singleton();
  if (first == columns.degree.size()) return;
  const std::vector<std::uint32_t> before = positions_by_row(text, order, columns, first);
  const std::vector<std::uint32_t> original(columns.original.begin() + first, columns.original.end());
  for (std::size_t i = 0; i < before.size(); ++i) columns.original[first + i] = original[before[i] - first];
  if (!columns.position.empty()) {
    for (std::uint32_t r = first; r < columns.original.size(); ++r) columns.position[columns.original[r] - 1] = r;
    return;
  }
  std::vector<std::uint32_t> after(before.size());
  for (std::size_t i = 0; i < before.size(); ++i) after[before[i] - first] = first + static_cast<std::uint32_t>(i);
  tbb::parallel_for(std::size_t{0}, text.blocks.size(), [&](std::size_t b) {
    for (std::uint32_t& index : std::span(text.blocks[b].index, text.blocks[b].row_end.back()))
      if (index >= first) index = after[index - first];
  });
}

}  // namespace hogwild::detail
