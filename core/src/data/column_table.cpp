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
  if (!slots_.empty()) return count_scattered(columns);
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

void column_table::add(const column_table& others) {
  seen_ += others.seen_;
  if (slots_.empty() && !others.slots_.empty()) scatter(least_slots);
  if (slots_.empty() && others.numbers_.size() > numbers_.size()) numbers_.resize(others.numbers_.size());
  others.for_each([this](std::uint32_t column, std::uint32_t count) {
    slots_.empty() ? void(numbers_[column] += count) : add_scattered(column, count);
  });
}

void column_table::look_up(std::span<std::uint32_t> columns) const {
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (!slots_.empty()) fetch_ahead(columns, k);
    columns[k] = (*this)[columns[k]];
  }
}

void column_table::count_scattered(std::span<const std::uint32_t> columns) {
  for (std::size_t k = 0; k < columns.size(); ++k) {
    fetch_ahead(columns, k);
    add_scattered(columns[k], 1);
  }
}

void column_table::add_scattered(std::uint32_t column, std::uint32_t count) {
  std::size_t at = find(column);
  if (slots_[at].key == 0) {
    if (4 * (used_ + 1) > 3 * slots_.size()) {
      scatter(2 * slots_.size());
      at = find(column);
    }
    slots_[at].key = column + 1;
    ++used_;
  }
  slots_[at].number += count;
}

/// Changes to a hash table of at least this many places.
void column_table::scatter(std::size_t slots) {
  const column_table before = std::exchange(*this, column_table(most_dense_));
  seen_ = before.seen_;
  before.for_each([this](std::uint32_t, std::uint32_t) { ++used_; });
  slots = std::max(slots, std::bit_ceil(2 * used_));
  slots_.resize(slots);
  shift_ = 64 - static_cast<unsigned>(std::countr_zero(slots));
  before.for_each([this](std::uint32_t column, std::uint32_t count) { slots_[find(column)] = {column + 1, count}; });
}

}  // namespace hogwild::detail
