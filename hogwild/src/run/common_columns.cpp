// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/common_columns.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>

#include <hogwild/detail/run/column_counts.hpp>

namespace hogwild {

namespace {

constexpr std::size_t narrow_columns = 65536;

/// The number of rows of all ranks that contain each column. `columns` are numbers of the files, ascending.
std::vector<double> degrees(const sparse_dataset& mine, std::span<const double> columns, const agreement& ranks) {
  const sparse_view rows = mine.view();
  const std::vector<std::uint32_t> here = count_columns(rows);
  std::vector<double> degree(columns.size());
  for (std::size_t j = 0; j < here.size(); ++j) {
    const auto place = std::ranges::lower_bound(columns, static_cast<double>(mine.original(j)));
    degree[static_cast<std::size_t>(place - columns.begin())] = here[j];
  }
  ranks.sum(degree);
  return degree;
}

}  // namespace

common_columns::common_columns(const sparse_dataset& mine, const agreement& ranks) {
  const sparse_view own = mine.view();
  own.ensure(0, own.rows());
  std::vector<double> numbers;
  for (std::size_t j = 0; j < mine.features(); ++j) numbers.push_back(mine.original(j));
  const std::vector<double> columns = ranks.all_of(std::move(numbers));
  const std::vector<double> degree = degrees(mine, columns, ranks);

  std::vector<std::size_t> order(columns.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return degree[a] > degree[b]; });
  for (const std::size_t i : order) {
    original_.push_back(static_cast<std::uint32_t>(columns[i]));
    degree_.push_back(static_cast<std::uint32_t>(degree[i]));
  }
  numbering_ = column_numbering(original_);

  std::vector<std::uint32_t> position_of(mine.features());
  for (std::size_t j = 0; j < position_of.size(); ++j) position_of[j] = numbering_.position(mine.original(j));
  const bool narrow = columns.size() <= narrow_columns;
  const std::size_t first = own.row_start.front(), entries = own.nonzeros();
  const auto renumber = [&]<class Index>(std::vector<Index>& index) {
    index.resize(first + entries);
    for (std::size_t k = first; k < index.size(); ++k)
      index[k] = static_cast<Index>(position_of[own.has_narrow_index() ? own.index16[k] : own.index[k]]);
  };
  view_ = own;
  view_.index = {};
  view_.index16 = {};
  if (narrow) {
    renumber(index16_);
    view_.index16 = index16_;
  } else {
    renumber(index_);
    view_.index = index_;
  }
  view_.columns = columns.size();
  view_.degree = degree_;
  view_.original = original_;
  view_.first_singleton = static_cast<std::size_t>(-1);
  view_.source = nullptr;
}

}  // namespace hogwild
