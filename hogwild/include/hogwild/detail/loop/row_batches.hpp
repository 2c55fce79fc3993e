// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

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

/// Makes these the batch's rows, at most batch_rows; returns how many entries they have.
template <class Index, class Value>
std::uint64_t take_rows(row_batch<Index, Value>& batch, const sparse_view& data, std::span<const std::size_t> rows) {
  std::uint64_t entries = 0;
  batch.rows = rows.size();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    batch.begin[i] = data.row_start[rows[i]];
    batch.end[i] = data.row_start[rows[i] + 1];
    entries += batch.end[i] - batch.begin[i];
  }
  return entries;
}

}  // namespace hogwild
