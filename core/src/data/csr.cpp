// SPDX-License-Identifier: Apache-2.0
#include <hogwild/dataset.hpp>

#include <algorithm>
#include <string>

#include <hogwild/error.hpp>

namespace hogwild {

csr_rows::csr_rows(std::span<const std::uint64_t> row_start, std::span<const std::uint32_t> index,
                   std::span<const float> value, std::span<const float> label, std::size_t columns)
    : row_start_(row_start), index_(index), value_(value), label_(label.begin(), label.end()), columns_(columns) {
  if (row_start.size() != label.size() + 1) throw input_error("row_start needs one entry more than there are labels");
  if (columns > column_limit) {
    throw input_error("there are " + std::to_string(columns) + " columns; at most " + std::to_string(column_limit) +
                      " are supported");
  }
  if (index.size() != value.size())
    throw input_error("there are as many columns as values in a row, or one is missing");
  if (row_start.front() != 0 || row_start.back() != index.size() || !std::ranges::is_sorted(row_start)) {
    throw input_error("row_start must rise from 0 to the number of entries");
  }
}

sparse_view csr_rows::view() const {
  return {.row_start = row_start_, .index = index_, .value = value_, .label = label_, .columns = columns_};
}

}  // namespace hogwild
