// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/data/numbered_rows.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include <hogwild/error.hpp>

#include "data/array_places.hpp"

namespace hogwild::detail {
namespace {

std::string entry_of(const std::string& name, const char* array, std::size_t k, std::size_t row) {
  return name + ": " + array + "[" + std::to_string(k) + "], in row " + std::to_string(row + 1) + ", ";
}

float single(const std::string& name, std::size_t k, std::size_t row, double value) {
  const auto rounded = static_cast<float>(value);
  if (!std::isfinite(rounded))
    throw input_error(entry_of(name, "value", k, row) +
                      "is no finite number of single precision; scale the data, or leave the row out");
  return rounded;
}

void require_distinct(const std::string& name, std::size_t row, auto index) {
  std::vector<std::uint64_t> sorted(index.begin(), index.end());
  std::ranges::sort(sorted);
  const auto twice = std::ranges::adjacent_find(sorted);
  if (twice != sorted.end())
    throw input_error(name + ": row " + std::to_string(row + 1) + " has column " + std::to_string(*twice) +
                      " twice; add its values up, or leave one out");
}

}  // namespace

numbered_rows::numbered_rows(const csr_arrays& from, const row_options& options)
    : numbering_(*options.numbering), first_column_(options.first_column) {
  const std::string& name = options.name;
  if (from.index.size() != from.value.size())
    throw input_error(name + ": index has " + std::to_string(from.index.size()) + " numbers and value has " +
                      std::to_string(from.value.size()) + "; an entry has one of both");
  const array_places rows(from.row_start, from.index.size(), name + ": row_start", "index");
  const std::size_t most = options.columns.value_or(column_limit);
  start_.reserve(rows.rows() + 1);
  start_.push_back(0);
  const std::size_t entries = rows.rows() == 0 ? 0 : rows.begin(rows.rows()) - rows.begin(0);
  index_.resize(entries);
  copied_.resize(entries);
  std::size_t n = 0;
  const auto take = [&](auto index, auto value) {
    for (std::size_t r = 0; r < rows.rows(); ++r) {
      const std::size_t first = rows.begin(r), last = rows.begin(r + 1);
      bool ascends = true;
      for (std::size_t k = first; k < last; ++k) {
        if (std::cmp_less(index[k], 0) || std::cmp_greater_equal(index[k], most))
          throw input_error(entry_of(name, "index", k, r) + "is " + std::to_string(index[k]) +
                            (std::cmp_less(index[k], 0)
                                 ? "; columns count from 0"
                                 : ", but there are only " + std::to_string(most) + " columns (counted from 0)"));
        ascends = ascends && (k == first || index[k - 1] < index[k]);
        const float x = single(name, k, r, value[k]);
        const std::uint32_t at = numbering_.position(static_cast<std::uint32_t>(index[k]) + first_column_);
        if (at == column_numbering::unknown) continue;
        index_[n] = at;
        copied_[n++] = x;
      }
      if (!ascends) require_distinct(name, r, index.subspan(first, last - first));
      start_.push_back(n);
    }
  };
  from.index.visit([&](auto index) { from.value.visit([&](auto value) { take(index, value); }); });
  index_.resize(n);
  copied_.resize(n);
  value_ = copied_;
  label_.resize(rows.rows());
}

numbered_rows::numbered_rows(const real_numbers& value, std::size_t rows, std::size_t columns,
                             const row_options& options)
    : numbering_(*options.numbering), first_column_(options.first_column), label_(rows) {
  if (columns > column_limit ||
      (columns == 0 ? value.size() != 0 : value.size() % columns != 0 || value.size() / columns != rows))
    throw input_error(options.name + ": value has " + std::to_string(value.size()) + " numbers, and " +
                      std::to_string(rows) + " rows of " + std::to_string(columns) + " columns have others");
  // The known numbers of a row and their positions, ordered by position.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> known;
  for (std::uint32_t j = 0; j < columns; ++j)
    if (const std::uint32_t at = numbering_.position(j + first_column_); at != column_numbering::unknown)
      known.emplace_back(at, j);
  std::ranges::sort(known);
  const std::size_t width = known.size();
  dense_ = width == numbering_.size();
  const bool as_given = dense_ && width == columns &&
                        std::ranges::all_of(known, [](const auto& column) { return column.first == column.second; });
  index_.reserve(dense_ ? width : rows * width);
  for (std::size_t r = 0; r < (dense_ ? std::min<std::size_t>(rows, 1) : rows); ++r)
    for (const auto& column : known) index_.push_back(column.first);
  if (!dense_)
    for (std::size_t r = 0; r <= rows; ++r) start_.push_back(r * width);
  value.visit([&]<class T>(std::span<const T> from) {
    if constexpr (std::is_same_v<T, float>) {
      if (as_given) {
        for (std::size_t r = 0; r < rows; ++r)
          for (std::size_t k = r * columns; k < (r + 1) * columns; ++k) single(options.name, k, r, from[k]);
        value_ = from;
        return;
      }
    }
    copied_.reserve(rows * width);
    for (std::size_t r = 0; r < rows; ++r)
      for (const auto& column : known) {
        const std::size_t k = r * columns + column.second;
        copied_.push_back(single(options.name, k, r, from[k]));
      }
    value_ = copied_;
  });
}

sparse_view numbered_rows::view() const {
  return {.row_start = dense_ ? row_starts::regular(label_.size(), numbering_.size()) : row_starts(start_),
          .index = index_,
          .value = value_,
          .label = label_,
          .dense = dense_,
          .columns = numbering_.size(),
          .original = numbering_.original(),
          .first_column = first_column_};
}

}  // namespace hogwild::detail
