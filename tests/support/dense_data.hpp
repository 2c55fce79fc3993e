// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <hogwild/rows.hpp>

#include "support/toy_data.hpp"

namespace hogwild::test {

/// The same rows twice: without indices, and as sparse rows that have all columns.
struct dense_data {
  std::vector<float> value;
  toy_rows sparse;

  /// `label(r, x)` returns the label of row r, whose numbers begin at x.
  template <class Label>
  dense_data(std::size_t rows, std::size_t columns, const Label& label) : value(noise_vector(rows * columns, 3)) {
    sparse.columns = columns;
    std::vector<std::uint32_t> all(columns);
    for (std::uint32_t j = 0; j < columns; ++j) all[j] = j;
    for (std::size_t r = 0; r < rows; ++r) {
      const float* const x = &value[r * columns];
      // Some numbers are 0; dense data store them, too.
      if (r % 7 == 0) value[r * columns + r % columns] = 0.0f;
      sparse.push(all, {x, x + columns}, label(r, x));
    }
  }

  /// In the order of `sparse`.
  dense_rows dense() const { return {value, sparse.label, sparse.columns, {.shuffle = false}}; }
};

/// Two classes by a plane, with some noise.
inline dense_data dense_classes(std::size_t rows, std::size_t columns) {
  const std::vector<float> plane = noise_vector(columns, 4);
  return {rows, columns, [&](std::size_t r, const float* x) {
            float sum = 0.0f;
            for (std::size_t j = 0; j < columns; ++j) sum += plane[j] * x[j];
            return (sum > 0.0f) != (r % 11 == 0) ? 1.0f : -1.0f;
          }};
}

}  // namespace hogwild::test
