// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

// How rows are passed to kernels, and how rows change parameters.

namespace hogwild {

/// The largest number of rows in one call.
inline constexpr std::size_t batch_rows = 16;

/// Rows in CSR form: row i is entries [begin[i], end[i]) of `index` and `value`, for i < rows <= batch_rows. No column
/// occurs twice in a row. Kernels read nothing outside the rows.
template <class Index, class Value>
struct row_batch {
  const Index* index = nullptr;
  const Value* value = nullptr;
  std::array<std::uint64_t, batch_rows> begin{}, end{};
  std::size_t rows = 0;
  bool dense = false;  ///< all rows have all columns: `index` holds 0, 1, 2, ... once, for all of them

  /// The column of each entry of row i.
  const Index* columns_of(std::size_t i) const { return index + (dense ? 0 : begin[i]); }
};

/// How rows change the parameters of their columns.
template <class Arrays>
struct row_update {
  Arrays to;
  typename Arrays::floats sums{};  ///< adagrad's sums
  float step = 0;
  float l2 = 0;                  ///< the fraction by which an entry regularises its column,
  const float* l2_of = nullptr;  ///< or, if given, the fraction of each column; biases are not regularised
  bool biases = true;            ///< machines, fields and classes: whether biases change
  float* room = nullptr;         ///< machines: `width` floats; classes: `classes`; else unused
  /// Seed for the rounding of factors that are halves. A hash of it and of a factor's place decides to which of its two
  /// neighbours a number is rounded; each row of a batch derives its own numbers from it.
  std::uint32_t chance = 0;
};

}  // namespace hogwild
