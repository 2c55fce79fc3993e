// SPDX-License-Identifier: Apache-2.0
#include "data/column_table.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace hogwild::detail {
namespace {

constexpr std::size_t least_slots = 1024;

}  // namespace

void column_table::count(std::span<const std::uint32_t> columns) {
  if (columns.empty()) return;
  seen_ += columns.size();
  if (!keys_.empty()) return count_scattered(columns);
  const std::size_t needed = std::size_t{std::ranges::max(columns)} + 1;
  if (needed > numbers_.size()) {
    // Half as much again, so that the total cost of growing is linear.
    const std::size_t room = std::max(needed, numbers_.size() + numbers_.size() / 2);
    if (needed > 4 * seen_ + 65536 || 4 * room > most_dense_) {
      scatter(least_slots);
      return count_scattered(columns);
    }
    numbers_.resize(room);
  }
  for (const std::uint32_t column : columns) ++numbers_[column];
}

void column_table::count_scattered(std::span<const std::uint32_t> columns) {
  for (const std::uint32_t column : columns) {
    std::size_t at = find(column);
    if (keys_[at] == 0) {
      if (4 * (used_ + 1) > 3 * keys_.size()) {
        scatter(2 * keys_.size());
        at = find(column);
      }
      keys_[at] = column + 1;
      ++used_;
    }
    ++numbers_[at];
  }
}

/// Changes to a hash table of at least this many places.
void column_table::scatter(std::size_t slots) {
  const column_table before = std::exchange(*this, column_table(most_dense_));
  seen_ = before.seen_;
  before.for_each([this](std::uint32_t, std::uint32_t) { ++used_; });
  slots = std::max(slots, std::bit_ceil(2 * used_));
  keys_.resize(slots), numbers_.resize(slots);
  shift_ = 64 - static_cast<unsigned>(std::countr_zero(slots));
  before.for_each([this](std::uint32_t column, std::uint32_t count) {
    const std::size_t at = find(column);
    keys_[at] = column + 1;
    numbers_[at] = count;
  });
}

}  // namespace hogwild::detail
