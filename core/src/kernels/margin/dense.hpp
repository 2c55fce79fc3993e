// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <hogwild/detail/kernels/row_batch.hpp>

#include "kernels/gathered_values.hpp"
#include "kernels/row_rules.hpp"

// Dots and updates of rows that have all columns: no weight is looked up. The operations and their order are those of
// margin/loops.hpp, so that the bits are the same. As there, each instruction set's type belongs to its own file.

namespace hogwild::detail {

template <class Isa>
struct dense_loops {
  using rules = row_rules<Isa>;

  /// A dot is a chain of sums, each of which waits for the one before it, so this many rows are processed side by side.
  static constexpr std::size_t rows_abreast = 4;
  /// Likewise, this many vectors of weights are processed side by side, through all rows of a batch.
  static constexpr std::size_t lanes_abreast = 4;

  template <class Index, class Value>
  static void dots(const float* w, const row_batch<Index, Value>& rows, float* out) {
    const auto n = static_cast<std::size_t>(rows.end[0] - rows.begin[0]);
    std::size_t i = 0;
    for (; i + rows_abreast <= rows.rows; i += rows_abreast) dots_of<rows_abreast>(w, rows, i, n, out);
    for (; i < rows.rows; ++i) dots_of<1>(w, rows, i, n, out);
  }

  template <class Index, class Value>
  static void updates(float* w, const row_batch<Index, Value>& rows, const float* change) {
    const auto n = static_cast<std::size_t>(rows.end[0] - rows.begin[0]);
    changes<Value> those;
    for (std::size_t i = 0; i < rows.rows; ++i) {
      if (change[i] == 0.0f) continue;
      those.row[those.count] = rows.value + rows.begin[i];
      those.change[those.count++] = change[i];
    }
    std::size_t k = 0;
    for (; k + lanes_abreast * width <= n; k += lanes_abreast * width) update<lanes_abreast>(w, those, k);
    for (; k + width <= n; k += width) update<1>(w, those, k);
    for (; k < n; ++k) {
      float sum = w[k];
      for (std::size_t i = 0; i < those.count; ++i) sum += those.change[i] * Isa::load_one(those.row[i] + k);
      w[k] = sum;
    }
  }

 private:
  /// Rows of a batch that change the weights.
  template <class Value>
  struct changes {
    const Value* row[batch_rows];
    float change[batch_rows];
    std::size_t count = 0;
  };

  template <std::size_t Rows, class Index, class Value>
  static void dots_of(const float* w, const row_batch<Index, Value>& rows, std::size_t first, std::size_t n,
                      float* out) {
    const Value* row[Rows];
    floats8 sum[Rows] = {};
    for (std::size_t i = 0; i < Rows; ++i) row[i] = rows.value + rows.begin[first + i];
    std::size_t k = 0;
    for (; k + width <= n; k += width) {
      const floats8 weights = loaded(w + k);
      for (std::size_t i = 0; i < Rows; ++i) sum[i] = added(sum[i], weights * Isa::load(row[i] + k));
    }
    float rest[Rows] = {};
    for (; k < n; ++k)
      for (std::size_t i = 0; i < Rows; ++i) rest[i] += w[k] * Isa::load_one(row[i] + k);
    for (std::size_t i = 0; i < Rows; ++i) out[first + i] = total(sum[i]) + rest[i];
  }

  template <std::size_t Lanes, class Value>
  static void update(float* w, const changes<Value>& those, std::size_t k) {
    floats8 weights[Lanes];
    for (std::size_t l = 0; l < Lanes; ++l) weights[l] = loaded(w + k + l * width);
    for (std::size_t i = 0; i < those.count; ++i)
      for (std::size_t l = 0; l < Lanes; ++l) weights[l] += those.change[i] * Isa::load(those.row[i] + k + l * width);
    for (std::size_t l = 0; l < Lanes; ++l) rules::store(w + k + l * width, weights[l]);
  }
};

}  // namespace hogwild::detail
