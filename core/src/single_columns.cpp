// SPDX-License-Identifier: Apache-2.0
#include "single_columns.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hogwild::detail {
namespace {

constexpr std::size_t rows_at_once = 1024;

/// Ranks, from `first` on, in the order in which the rows have them.
std::vector<std::uint32_t> ranks_by_row(const parsed_text& text, std::span<const row_plan::place> order,
                                        const column_ranking& ranking, std::uint32_t first) {
  std::vector<std::vector<std::uint32_t>> parts((order.size() + rows_at_once - 1) / rows_at_once);
  tbb::parallel_for(std::size_t{0}, parts.size(), [&](std::size_t part) {
    const std::size_t last = std::min((part + 1) * rows_at_once, order.size());
    for (std::size_t r = part * rows_at_once; r < last; ++r) {
      const libsvm_block& block = text.blocks[order[r].block];
      const std::uint32_t row = order[r].row, end = block.row_end[row];
      for (std::uint32_t k = row == 0 ? 0 : block.row_end[row - 1]; k < end; ++k) {
        const std::uint32_t rank = ranking.rank.empty() ? block.index[k] : ranking.rank[block.index[k]];
        if (rank >= first) parts[part].push_back(rank);
      }
    }
  });
  std::vector<std::uint32_t> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace

void order_single_columns(parsed_text& text, std::span<const row_plan::place> order, column_ranking& ranking) {
  const std::uint32_t first = ranking.frequent();
  if (first == ranking.degree.size()) return;
  const std::vector<std::uint32_t> before = ranks_by_row(text, order, ranking, first);
  const std::vector<std::uint32_t> original(ranking.original.begin() + first, ranking.original.end());
  for (std::size_t i = 0; i < before.size(); ++i) ranking.original[first + i] = original[before[i] - first];
  if (!ranking.rank.empty()) {
    for (std::uint32_t r = first; r < ranking.original.size(); ++r) ranking.rank[ranking.original[r] - 1] = r;
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
