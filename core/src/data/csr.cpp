// SPDX-License-Identifier: Apache-2.0
#include <hogwild/dataset.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <hogwild/detail/data/row_numbers.hpp>
#include <hogwild/error.hpp>

namespace hogwild {

namespace {

void require_whole(const row_starts& row_start, std::size_t entries, std::size_t values, std::size_t rows,
                   std::size_t columns) {
  if (row_start.size() != rows + 1) throw input_error("row_start needs one entry more than there are labels");
  if (columns > column_limit) {
    throw input_error("there are " + std::to_string(columns) + " columns; at most " + std::to_string(column_limit) +
                      " are supported");
  }
  if (entries != values) throw input_error("there are as many columns as values in a row, or one is missing");
  for (std::size_t r = 0; r < row_start.size(); ++r) {
    const bool ends_well = r + 1 < row_start.size() || row_start[r] == entries;
    if (row_start[r] <= entries && row_start[r] >= (r == 0 ? 0 : row_start[r - 1]) && ends_well &&
        (r > 0 || row_start[0] == 0))
      continue;
    throw input_error("row_start must rise from 0 to the number of entries, " + std::to_string(entries) +
                      ", but row_start[" + std::to_string(r) + "] is " + std::to_string(row_start[r]) +
                      (r == 0 ? std::string() : " after " + std::to_string(row_start[r - 1])));
  }
}

label_lists lists_of(const row_starts& start, std::span<const float> labels) {
  const bool sized = !start.empty() && start.front() == 0 && start.back() == labels.size() &&
                     std::is_sorted(start.begin(), start.end()) &&
                     labels.size() <= std::numeric_limits<std::uint32_t>::max();
  if (!sized)
    throw input_error("label_start must rise from 0 to the number of labels, of which there are at most 4294967295");
  for (std::size_t r = 0; r + 1 < start.size(); ++r) {
    const auto row = labels.subspan(start[r], start[r + 1] - start[r]);
    const auto refuse = [&](const char* fault) {
      throw input_error("the list of labels of row " + std::to_string(r + 1) + " " + fault);
    };
    if (row.empty()) refuse("is empty; give it one label at least, or leave the row out");
    if (std::ranges::any_of(row, [](float x) { return !std::isfinite(x) || std::trunc(x) != x; }))
      refuse("holds a label that is no whole number; labels of lists are classes");
    std::vector<float> sorted(row.begin(), row.end());
    std::ranges::sort(sorted);
    if (std::ranges::adjacent_find(sorted) != sorted.end()) refuse("names a label twice; once is enough");
  }
  const std::vector<std::uint32_t> first(start.begin(), start.end());
  return {first, std::vector<double>(labels.begin(), labels.end())};
}

}  // namespace

csr_rows::csr_rows(row_starts row_start, borrowed_columns index, std::span<const float> value,
                   std::span<const float> label, std::size_t columns)
    : row_start_(row_start), index_(index), value_(value), label_(label.begin(), label.end()), columns_(columns) {
  require_whole(row_start, index_.size(), value.size(), label.size(), columns);
}

csr_rows::csr_rows(row_starts row_start, borrowed_columns index, std::span<const float> value, row_starts label_start,
                   std::span<const float> label, std::size_t columns)
    : row_start_(row_start), index_(index), value_(value), lists_(lists_of(label_start, label)), columns_(columns) {
  require_whole(row_start, index_.size(), value.size(), label_start.size() - 1, columns);
}

void csr_rows::set_weights(std::span<const float> weights) {
  detail::require_weights(weights, row_start_.size() - 1, "the data in memory");
  weight_ = weights;
}

void csr_rows::set_offsets(std::span<const float> offsets) {
  detail::require_offsets(offsets, row_start_.size() - 1, "the data in memory");
  offset_ = offsets;
}

sparse_view csr_rows::view() const {
  return {.row_start = row_start_,
          .index = index_,
          .value = value_,
          .label = lists_.empty() ? label_column(label_) : lists_.column(),
          .weight = weight_,
          .offset = offset_,
          .columns = columns_};
}

}  // namespace hogwild
