// SPDX-License-Identifier: Apache-2.0
#include "provisional_ranks.hpp"

#include <algorithm>
#include <vector>

namespace hogwild::detail {

provisional_ranks::provisional_ranks(std::size_t columns)
    : columns_(columns), memory_(columns * sizeof(std::uint32_t)) {}

void provisional_ranks::rank_by_frequency(std::span<const std::uint32_t> entries) {
  struct seen {
    std::uint32_t column, count;
  };
  std::vector<seen> columns;  // in the order in which they appear, which is their rank for the time being
  for (const std::uint32_t column : entries) {
    if (column >= columns_) continue;
    if (place(column) == 0) {
      columns.push_back({column, 0});
      place(column) = static_cast<std::uint32_t>(columns.size());
    }
    ++columns[find(column)].count;
  }
  std::ranges::stable_sort(columns, std::ranges::greater{}, &seen::count);
  for (std::uint32_t r = 0; r < columns.size(); ++r) place(columns[r].column) = r + 1;
  size_ = static_cast<std::uint32_t>(columns.size());
}

void provisional_ranks::rank(std::span<const std::uint32_t> columns, std::uint32_t* ranks, reserve& mine) {
  // All are looked up before any is given: a guess whether a column is new, made wrongly, would wait for memory.
  bool known = true;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    ranks[k] = place(columns[k]).load() - 1;
    known &= ranks[k] != none;
  }
  if (known) return;
  for (std::size_t k = 0; k < columns.size(); ++k)
    if (ranks[k] == none) ranks[k] = give(columns[k], mine);
}

std::uint32_t provisional_ranks::give(std::uint32_t column, reserve& mine) {
  if (mine.next == mine.end) {
    mine.next = size_.fetch_add(reserve::most);
    mine.end = mine.next + reserve::most;
  }
  std::uint32_t seen = 0;
  if (place(column).compare_exchange_strong(seen, mine.next + 1)) return mine.next++;
  return seen - 1;  // somebody was faster
}

}  // namespace hogwild::detail
