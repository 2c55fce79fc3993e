// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <type_traits>

#include <hogwild/detail/data/chunk.hpp>
#include <hogwild/detail/data/half.hpp>
#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/kernels/row_batch.hpp>

// Rows of the data in the form that kernels take.

namespace hogwild {

/// Calls f.operator()<Index, Value>() with the types in which the data hold their entries.
template <class F>
void with_row_types(const sparse_view& data, const F& f) {
  if (data.has_narrow_index())
    data.has_narrow_value() ? f.template operator()<std::uint16_t, half>()
                            : f.template operator()<std::uint16_t, float>();
  else
    data.has_narrow_value() ? f.template operator()<std::uint32_t, half>()
                            : f.template operator()<std::uint32_t, float>();
}

/// A batch on the entries of the data, without rows so far. The types are those of with_row_types().
template <class Index, class Value>
row_batch<Index, Value> batch_on(const sparse_view& data) {
  row_batch<Index, Value> batch;
  batch.dense = data.dense;
  if constexpr (std::is_same_v<Index, std::uint16_t>)
    batch.index = data.index16.data();
  else
    batch.index = data.index.data();
  if constexpr (std::is_same_v<Value, half>)
    batch.value = data.value16.data();
  else
    batch.value = data.value.data();
  return batch;
}

/// Makes these the batch's rows, at most batch_rows, given by their numbers. Returns how many entries they have.
template <class Index, class Value, class Rows>
std::uint64_t take_rows(row_batch<Index, Value>& batch, const sparse_view& data, const Rows& rows) {
  std::uint64_t entries = 0;
  batch.rows = rows.size();
  for (std::size_t i = 0; i < batch.rows; ++i) {
    batch.begin[i] = data.row_start[rows[i]];
    batch.end[i] = data.row_start[rows[i] + 1];
    entries += batch.end[i] - batch.begin[i];
  }
  return entries;
}

/// The numbers of consecutive rows, as a range (clang 14 does not compile std::views::iota).
struct consecutive_rows {
  struct iterator {
    std::size_t row;

    std::size_t operator*() const { return row; }
    iterator& operator++() { return ++row, *this; }
    bool operator==(const iterator&) const = default;
  };

  std::size_t first, count;

  std::size_t size() const { return count; }
  std::size_t operator[](std::size_t i) const { return first + i; }
  iterator begin() const { return {first}; }
  iterator end() const { return {first + count}; }
};

/// Calls f(first, rows) for the rows of a chunk, at most batch_rows at a time, until a stop is requested: `rows` are
/// their numbers, beginning with `first`.
template <class F>
void for_few_rows(const chunk& all, const std::stop_token& stop, const F& f) {
  for (std::size_t first = all.first; first < all.last && !stop.stop_requested(); first += batch_rows)
    f(first, consecutive_rows{first, std::min(batch_rows, all.last - first)});
}

}  // namespace hogwild
