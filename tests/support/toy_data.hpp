// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/math/random.hpp>

// Small problems with a known structure: the same rows for the same arguments, on every machine.

namespace hogwild::test {

/// Sparse rows with the storage that csr_rows borrows.
struct toy_rows {
  std::vector<std::uint64_t> row_start{0};
  std::vector<std::uint32_t> index;
  std::vector<float> value;
  std::vector<float> label;
  std::vector<std::uint64_t> label_start{};  ///< where rows have lists of labels; else empty
  std::size_t columns = 0;

  std::size_t rows() const { return row_start.size() - 1; }
  void push(const std::vector<std::uint32_t>& row_index, const std::vector<float>& row_value, float row_label) {
    index.insert(index.end(), row_index.begin(), row_index.end());
    value.insert(value.end(), row_value.begin(), row_value.end());
    row_start.push_back(index.size());
    label.push_back(row_label);
  }
  /// Row r of others, with this label.
  void push_row(const toy_rows& from, std::size_t r, float row_label) {
    const auto first = static_cast<std::ptrdiff_t>(from.row_start[r]);
    const auto last = static_cast<std::ptrdiff_t>(from.row_start[r + 1]);
    push({from.index.begin() + first, from.index.begin() + last},
         {from.value.begin() + first, from.value.begin() + last}, row_label);
  }
  void push_row(const toy_rows& from, std::size_t r) { push_row(from, r, from.label[r]); }
  /// One more entry of the last row.
  void push_entry(std::size_t column, float x) {
    index.push_back(static_cast<std::uint32_t>(column));
    value.push_back(x);
    ++row_start.back();
  }
  csr_rows csr() const {
    if (label_start.empty()) return {row_start, index, value, label, columns};
    return {row_start, index, value, label_start, label, columns};
  }
};

/// Rows that no longer change, with the view of them that engines read.
struct kept_rows : toy_rows, csr_rows {
  kept_rows(toy_rows made) : toy_rows(std::move(made)), csr_rows(toy_rows::csr()) {}
  kept_rows(kept_rows&&) = default;  // spans of vectors that are moved stay valid, those of copies do not
  kept_rows& operator=(kept_rows&&) = default;

  operator sparse_view() const { return view(); }
};

/// `count` numbers: these, repeated in order.
inline std::vector<float> numbers_in_turn(std::size_t count, const std::vector<float>& these) {
  std::vector<float> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = these[i % these.size()];
  return all;
}

struct toy_shape {
  std::size_t rows = 400;
  std::size_t columns = 20;
  std::size_t per_row = 5;  ///< nonzeros, one in each of as many equal ranges of columns
  std::uint64_t seed = 1;
};

/// Rows of about unit norm with labels 0.
inline toy_rows planted_rows(const toy_shape& shape) {
  const counter_random columns(shape.seed, 1), values(shape.seed, 2);
  toy_rows data;
  data.columns = shape.columns;
  const double norm = std::sqrt(3.0 / static_cast<double>(shape.per_row));  // of uniform numbers in [-1, 1)
  for (std::size_t r = 0; r < shape.rows; ++r) {
    for (std::size_t k = 0; k < shape.per_row; ++k) {
      const std::size_t first = k * shape.columns / shape.per_row, last = (k + 1) * shape.columns / shape.per_row;
      const std::uint64_t draw = r * shape.per_row + k;
      data.index.push_back(static_cast<std::uint32_t>(first + columns.below(draw, last - first)));
      data.value.push_back(static_cast<float>((2.0 * values.uniform(draw) - 1.0) * norm));
    }
    data.row_start.push_back(data.index.size());
    data.label.push_back(0.0f);
  }
  return data;
}

/// The weights that labels are made from: uniform in [-2, 2); `which` distinguishes the weights of several classes.
inline std::vector<double> planted_weights(const toy_shape& shape, std::uint64_t which = 0) {
  const counter_random weights(shape.seed, 3 + which);
  std::vector<double> w(shape.columns);
  for (std::size_t j = 0; j < w.size(); ++j) w[j] = 4.0 * weights.uniform(j) - 2.0;
  return w;
}

/// The margin of row r by the weights of its columns, which may be floats or doubles.
template <class Weights>
double planted_score(const toy_rows& data, std::size_t r, const Weights& w) {
  double sum = 0.0;
  for (std::size_t k = data.row_start[r]; k < data.row_start[r + 1]; ++k)
    sum += static_cast<double>(w[data.index[k]]) * static_cast<double>(data.value[k]);
  return sum;
}

/// Labels -1 and +1: the sign of the planted score, flipped in a `noise` fraction of the rows.
inline toy_rows planted_classification(const toy_shape& shape, double noise = 0.1) {
  toy_rows data = planted_rows(shape);
  const std::vector<double> w = planted_weights(shape);
  const counter_random flips(shape.seed, 1000);
  for (std::size_t r = 0; r < data.rows(); ++r) {
    const bool positive = (planted_score(data, r, w) > 0.0) != (flips.uniform(r) < noise);
    data.label[r] = positive ? 1.0f : -1.0f;
  }
  return data;
}

/// Labels are planted scores plus uniform noise in [-noise, noise).
inline toy_rows planted_regression(const toy_shape& shape, double noise = 0.1) {
  toy_rows data = planted_rows(shape);
  const std::vector<double> w = planted_weights(shape);
  const counter_random errors(shape.seed, 1000);
  for (std::size_t r = 0; r < data.rows(); ++r) {
    data.label[r] = static_cast<float>(planted_score(data, r, w) + noise * (2.0 * errors.uniform(r) - 1.0));
  }
  return data;
}

/// Labels 0 .. classes-1: the class with the largest planted score.
inline toy_rows planted_classes(const toy_shape& shape, std::size_t classes) {
  toy_rows data = planted_rows(shape);
  std::vector<double> best(data.rows(), -HUGE_VAL);
  for (std::size_t c = 0; c < classes; ++c) {
    const std::vector<double> w = planted_weights(shape, c);
    for (std::size_t r = 0; r < data.rows(); ++r) {
      const double score = planted_score(data, r, w);
      if (score > best[r]) best[r] = score, data.label[r] = static_cast<float>(c);
    }
  }
  return data;
}

/// Lists of labels: the planted class, in every third row also the next one, and in every fifth the one after that.
inline toy_rows planted_lists(const toy_shape& shape, std::size_t classes) {
  toy_rows data = planted_classes(shape, classes);
  const std::vector<float> first = std::move(data.label);
  data.label.clear();
  data.label_start = {0};
  for (std::size_t r = 0; r < data.rows(); ++r) {
    const auto later = [&](std::size_t by) {
      return static_cast<float>((static_cast<std::size_t>(first[r]) + by) % classes);
    };
    data.label.push_back(first[r]);
    if (r % 3 == 0) data.label.push_back(later(1));
    if (r % 5 == 0) data.label.push_back(later(2));
    data.label_start.push_back(data.label.size());
  }
  return data;
}

/// n numbers that look random, uniform in [low, high).
inline std::vector<float> noise_vector(std::size_t n, std::uint64_t seed, double low = -1.0, double high = 1.0) {
  const counter_random draws(seed, 7);
  std::vector<float> out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<float>(low + (high - low) * draws.uniform(i));
  return out;
}

}  // namespace hogwild::test
