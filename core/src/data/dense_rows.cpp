// SPDX-License-Identifier: Apache-2.0
#include <hogwild/rows.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include <hogwild/detail/data/row_numbers.hpp>
#include <hogwild/error.hpp>

#include "data/row_shuffle.hpp"

namespace hogwild {
namespace {

constexpr const char* dense_name = "the dense rows";

/// Where the number of a row and a column lies.
struct layout {
  std::size_t rows, columns, stride, column_stride;

  std::size_t place(std::size_t row, std::size_t column) const { return row * stride + column * column_stride; }
  bool without_gaps() const { return column_stride == 1 && stride == columns; }
};

void require_counts(std::size_t rows, std::size_t columns) {
  const std::string name = dense_name;
  if (rows == 0) throw input_error(name + ": there are no labels, so no rows; give one label a row");
  if (rows > 0xffffffffu)
    throw input_error(name + ": there are " + std::to_string(rows) + " rows; at most 4294967295 are supported");
  if (columns == 0 || columns > column_limit)
    throw input_error(name + ": there are " + std::to_string(columns) + " columns; there may be 1 to " +
                      std::to_string(column_limit));
}

/// Whether `count` numbers, `step` apart, lie within the first `room` ones. No sum can be too large for its type.
bool reaches(std::size_t count, std::size_t step, std::size_t room) {
  return room > 0 && (step == 0 || count - 1 <= (room - 1) / step);
}

/// Throws input_error where two numbers would lie in one place, or beyond the end of `values`.
void require_room(std::size_t values, const layout& at) {
  const std::string name = dense_name, stride = "stride is " + std::to_string(at.stride);
  const bool row_by_row = at.stride > 0 && reaches(at.columns, at.column_stride, at.stride);
  const bool column_by_column = at.column_stride > 0 && reaches(at.rows, at.stride, at.column_stride);
  if (at.column_stride == 1 && !row_by_row && !column_by_column)
    throw input_error(name + ": " + stride + ", less than the " + std::to_string(at.columns) +
                      " columns of a row; rows would overlap");
  if ((!row_by_row && !column_by_column) || (at.column_stride == 0 && at.columns > 1))
    throw input_error(name + ": " + stride + " and column_stride " + std::to_string(at.column_stride) + "; " +
                      std::to_string(at.rows) + " rows of " + std::to_string(at.columns) + " columns would overlap");
  // The last row needs no gap after it.
  const bool fits =
      reaches(at.rows, at.stride, values) && reaches(at.columns, at.column_stride, values - (at.rows - 1) * at.stride);
  if (!fits) {
    const std::string apart = at.column_stride == 1 ? "one every " + std::to_string(at.stride) + " numbers"
                                                    : "rows " + std::to_string(at.stride) + " apart and columns " +
                                                          std::to_string(at.column_stride) + " apart";
    throw input_error(name + ": value has " + std::to_string(values) + " numbers, too few for " +
                      std::to_string(at.rows) + " rows of " + std::to_string(at.columns) + " columns, " + apart);
  }
  if (at.without_gaps() && values != at.rows * at.columns)
    throw input_error(name + ": value has " + std::to_string(values) + " numbers, and label tells of " +
                      std::to_string(at.rows) + " rows of " + std::to_string(at.columns) +
                      " columns; sizes do not fit");
}

/// Calls take(r, c) for all rows and columns. Numbers that lie beside each other are taken together, of a few rows at
/// a time, so that what is made of them row by row stays in the cache.
template <class Take>
void for_all(const layout& at, const Take& take) {
  const std::size_t block = at.column_stride > at.stride ? 64 : 1;
  for (std::size_t first = 0; first < at.rows; first += block)
    for (std::size_t c = 0; c < at.columns; ++c)
      for (std::size_t r = first; r < std::min(first + block, at.rows); ++r) take(r, c);
}

template <class T>
void require_all_finite(std::span<const T> from, const layout& at) {
  for_all(at, [&](std::size_t r, std::size_t c) {
    if (!std::isfinite(static_cast<float>(from[at.place(r, c)])))
      throw input_error(std::string(dense_name) + ": value[" + std::to_string(at.place(r, c)) + "], in row " +
                        std::to_string(r + 1) + ", is no finite number of single precision; leave the row out");
  });
}

template <class T>
std::vector<T> ordered(std::span<const T> numbers, std::span<const std::uint32_t> order) {
  std::vector<T> all(numbers.begin(), numbers.end());
  for (std::size_t r = 0; r < order.size(); ++r) all[r] = numbers[order[r]];
  return all;
}

}  // namespace

dense_rows::dense_rows(real_numbers value, any_numbers label, std::size_t columns, const dense_options& options) {
  const layout at{.rows = label.size(),
                  .columns = columns,
                  .stride = options.stride == 0 ? columns : options.stride,
                  .column_stride = options.column_stride};
  require_counts(at.rows, columns);
  require_room(value.size(), at);
  detail::require_exact_labels(label, std::string(dense_name) + ": label");
  if (options.shuffle) order_ = detail::shuffled_rows(at.rows);
  label_.resize(at.rows);
  for (std::size_t r = 0; r < at.rows; ++r) label_[r] = label[order_.empty() ? r : order_[r]];
  column_.resize(columns);
  std::iota(column_.begin(), column_.end(), 0u);
  value.visit([&]<class T>(std::span<const T> from) {
    require_all_finite(from, at);
    if constexpr (std::is_same_v<T, float>) {
      if (order_.empty() && at.without_gaps()) {
        value_ = from;
        return;
      }
    }
    std::vector<std::uint32_t> to(order_.size());  // the new number of each row
    for (std::size_t r = 0; r < order_.size(); ++r) to[order_[r]] = static_cast<std::uint32_t>(r);
    copied_.resize(at.rows * columns);
    for_all(at, [&, made = std::span(copied_)](std::size_t r, std::size_t c) {
      made[(to.empty() ? r : to[r]) * columns + c] = static_cast<float>(from[at.place(r, c)]);
    });
  });
}

void dense_rows::set_weights(std::span<const float> weights) {
  detail::require_weights(weights, rows(), dense_name);
  weight_ = ordered(weights, order_);
}

void dense_rows::set_offsets(std::span<const float> offsets) {
  detail::require_offsets(offsets, rows(), dense_name);
  offset_ = ordered(offsets, order_);
}

sparse_view dense_rows::view() const {
  return {.row_start = row_starts::regular(rows(), features()),
          .index = column_,
          .value = copied_.empty() ? value_ : std::span<const float>(copied_),
          .label = label_,
          .weight = weight_,
          .offset = offset_,
          .id = order_,
          .dense = true,
          .columns = features()};
}

}  // namespace hogwild
