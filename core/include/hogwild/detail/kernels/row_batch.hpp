// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

// Rows as kernels take them, and how they change parameters.

namespace hogwild {

/// The most rows of one call.
inline constexpr std::size_t batch_rows = 16;

/// Rows of a CSR: row i is entries [begin[i], end[i]) of `index` and `value`, for i < rows <= batch_rows. No column
/// occurs twice in a row. Nothing outside the rows is read.
template <class Index, class Value>
struct row_batch {
  const Index* index = nullptr;
  const Value* value = nullptr;
  std::array<std::uint64_t, batch_rows> begin{}, end{};
  std::size_t rows = 0;
  bool dense = false;  ///< all rows have the same columns: `index` holds 0, 1, 2, ... once, for all of them

  /// The column of each entry of row i.
  const Index* columns_of(std::size_t i) const { return index + (dense ? 0 : begin[i]); }
};

/// How rows change the parameters of their columns.
template <class Arrays>
struct row_update {
  Arrays to;
  typename Arrays::floats sums{};  ///< of adagrad
  float step = 0;
  float l2 = 0;                  ///< by which an entry regularises its column: that fraction,
  const float* l2_of = nullptr;  ///< or, where given, that of each column; biases are not regularised
  bool biases = true;            ///< machines, fields and classes: whether biases change
  float* room = nullptr;         ///< machines: `width` floats; classes: `classes`; else none
  /// Of factors that are halves: what chance makes of their changes. A function of it and of a factor's place decides
  /// which of its two neighbours a number between them becomes; the rows of a batch have numbers of their own from it.
  std::uint32_t chance = 0;
};

}  // namespace hogwild
