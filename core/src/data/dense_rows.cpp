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

void require_room_for_rows(std::size_t values, std::size_t rows, std::size_t columns, std::size_t stride) {
  const std::string name = dense_name;
  if (rows == 0) throw input_error(name + ": there are no labels, so no rows; give one label a row");
  if (rows > 0xffffffffu)
    throw input_error(name + ": there are " + std::to_string(rows) + " rows; at most 4294967295 are supported");
  if (columns == 0 || columns > column_limit)
    throw input_error(name + ": there are " + std::to_string(columns) + " columns; there may be 1 to " +
                      std::to_string(column_limit));
  if (stride < columns)
    throw input_error(name + ": stride is " + std::to_string(stride) + ", less than the " + std::to_string(columns) +
                      " columns of a row; rows would overlap");
  // The last row needs no gap after it.
  if (values < columns || (values - columns) / stride < rows - 1)
    throw input_error(name + ": value has " + std::to_string(values) + " numbers, too few for " + std::to_string(rows) +
                      " rows of " + std::to_string(columns) + " columns, one every " + std::to_string(stride) +
                      " numbers");
  if (stride == columns && values != rows * columns)
    throw input_error(name + ": value has " + std::to_string(values) + " numbers, and label tells of " +
                      std::to_string(rows) + " rows of " + std::to_string(columns) + " columns; sizes do not fit");
}

template <class T>
std::vector<T> ordered(std::span<const T> numbers, std::span<const std::uint32_t> order) {
  std::vector<T> all(numbers.begin(), numbers.end());
  for (std::size_t r = 0; r < order.size(); ++r) all[r] = numbers[order[r]];
  return all;
}

}  // namespace

dense_rows::dense_rows(real_numbers value, any_numbers label, std::size_t columns, const dense_options& options) {
  const std::size_t rows = label.size(), stride = options.stride == 0 ? columns : options.stride;
  require_room_for_rows(value.size(), rows, columns, stride);
  detail::require_exact_labels(label, std::string(dense_name) + ": label");
  if (options.shuffle) order_ = detail::shuffled_rows(rows);
  label_.resize(rows);
  for (std::size_t r = 0; r < rows; ++r) label_[r] = label[order_.empty() ? r : order_[r]];
  column_.resize(columns);
  std::iota(column_.begin(), column_.end(), 0u);
  value.visit([&]<class T>(std::span<const T> from) {
    for (std::size_t r = 0; r < rows; ++r) {
      const auto row = from.subspan(r * stride, columns);
      const auto wrong = std::ranges::find_if(row, [](T x) { return !std::isfinite(static_cast<float>(x)); });
      if (wrong != row.end())
        throw input_error(std::string(dense_name) + ": value[" +
                          std::to_string(r * stride + static_cast<std::size_t>(wrong - row.begin())) + "], in row " +
                          std::to_string(r + 1) + ", is no finite number of single precision; leave the row out");
    }
    if constexpr (std::is_same_v<T, float>) {
      if (order_.empty() && stride == columns) {
        value_ = from;
        return;
      }
    }
    copied_.resize(rows * columns);
    for (std::size_t r = 0; r < rows; ++r)
      std::ranges::transform(from.subspan((order_.empty() ? r : order_[r]) * stride, columns),
                             copied_.data() + r * columns, [](T x) { return static_cast<float>(x); });
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
