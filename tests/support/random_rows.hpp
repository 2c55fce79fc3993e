// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/kernels/margin_kernels.hpp>

namespace hogwild::test {

inline float widened(float x) {
  return x;
}
inline float widened(half x) {
  return to_float(x);
}
template <class Value>
Value narrowed(float x) {
  if constexpr (sizeof(Value) == sizeof(float)) return x;
  if constexpr (sizeof(Value) != sizeof(float)) return to_half(x);
}

inline std::vector<isa> instruction_sets_here() {
  std::vector<isa> here{isa::scalar};
  for (const isa set : {isa::avx2, isa::avx512}) {
    if (has_isa(set)) here.push_back(set);
  }
  return here;
}

/// A batch with the arrays that it points into.
template <class Index, class Value>
struct random_rows {
  std::vector<Index> index;
  std::vector<Value> value;
  row_batch<Index, Value> batch;

  /// Up to batch_rows rows of 0 to `most` entries, no column twice in a row, after `skip` entries that belong to no
  /// row. Values are normal numbers times `scale`.
  random_rows(std::mt19937_64& random, std::size_t rows, std::size_t most, std::size_t columns, std::size_t skip,
              float scale = 1.0f)
      : index(skip), value(skip) {
    std::vector<Index> order(columns);
    std::iota(order.begin(), order.end(), Index{0});
    std::normal_distribution<float> normal;
    batch.rows = rows;
    for (std::size_t i = 0; i < rows; ++i) {
      batch.begin[i] = index.size();
      const std::size_t n = random() % (std::min(most, columns) + 1);
      for (std::size_t k = 0; k < n; ++k) {
        std::swap(order[k], order[k + random() % (columns - k)]);
        index.push_back(order[k]);
        value.push_back(narrowed<Value>(scale * normal(random)));
      }
      batch.end[i] = index.size();
    }
    batch.index = index.data();
    batch.value = value.data();
  }
  random_rows(const random_rows&) = delete;  // the batch points into the arrays
  random_rows& operator=(const random_rows&) = delete;

  struct entry {
    std::size_t column;
    double x;
  };
  std::vector<entry> entries(std::size_t i) const {
    std::vector<entry> all;
    for (std::size_t k = batch.begin[i]; k < batch.end[i]; ++k)
      all.push_back({index[k], static_cast<double>(widened(value[k]))});
    return all;
  }
};

inline std::vector<float> random_numbers(std::mt19937_64& random, std::size_t n) {
  std::normal_distribution<float> normal;
  std::vector<float> numbers(n);
  for (float& x : numbers) x = normal(random);
  return numbers;
}

template <class I, class V>
struct row_types {
  using index = I;
  using value = V;
};
/// All kinds of rows that a cache may have, and those with the widest and the narrowest entries.
using all_row_types = testing::Types<row_types<std::uint32_t, float>, row_types<std::uint16_t, float>,
                                     row_types<std::uint32_t, half>, row_types<std::uint16_t, half>>;
using wide_and_narrow_rows = testing::Types<row_types<std::uint32_t, float>, row_types<std::uint16_t, half>>;

}  // namespace hogwild::test
