// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <hogwild/model.hpp>

namespace hogwild {

/// Records which parameters of a row's columns have had their l2. Each gets it once a row: with the first partial that
/// the row emits for it, or by itself if the row emits none. Belongs to one worker.
class row_l2 {
 public:
  /// `groups`: ordered by popularity, none of them empty.
  explicit row_l2(std::span<const parameter_group> groups) {
    std::size_t columns = 0;
    for (const parameter_group& g : groups) {
      groups_.push_back({g.offset, g.offset + g.rows * g.width, g.width, g.first_column, width_});
      width_ += g.width;
      columns = std::max(columns, g.first_column + g.rows);
    }
    place_.resize(columns);
  }

  /// Begins another row.
  void begin(const auto& z) {
    for (const std::uint32_t column : columns_) place_[column] = 0;
    columns_.clear();
    for (auto [column, x] : z) {
      if (column >= place_.size() || place_[column] != 0) continue;
      columns_.push_back(static_cast<std::uint32_t>(column));
      place_[column] = static_cast<std::uint32_t>(columns_.size());
    }
    taken_.assign(columns_.size() * width_, 0);
    here_ = {};
  }

  /// Replaces each of the parameters from `offset` on by the term that l2 adds to its partial: fraction_of(column)
  /// times the parameter, or 0 if it has had its l2 in this row or none is due.
  template <class T, class F>
  void take(std::size_t offset, std::span<T> parameters, const F& fraction_of) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (offset + i < here_.begin || offset + i >= here_.end) go_to(offset + i, fraction_of);
      const bool due = here_.marks != nullptr && !std::exchange(here_.marks[offset + i - here_.begin], 1);
      parameters[i] = due ? static_cast<T>(here_.fraction) * parameters[i] : T(0);
    }
  }

  /// Calls f(offset, n) for the runs of parameters that have not had their l2 in this row.
  template <class F>
  void for_others(const F& f) const {
    for (const group& g : groups_) {
      for (const std::uint32_t column : columns_) {
        const std::size_t offset = g.begin + (column - g.first_column) * g.width;
        if (column < g.first_column || offset >= g.end) continue;
        const auto begin = taken_.begin() + static_cast<std::ptrdiff_t>(begin_of(place_[column], g)),
                   end = begin + static_cast<std::ptrdiff_t>(g.width);
        for (auto first = std::find(begin, end, 0); first != end;) {
          const auto last = std::find(first, end, 1);
          f(offset + static_cast<std::size_t>(first - begin), static_cast<std::size_t>(last - first));
          first = std::find(last, end, 0);
        }
      }
    }
  }

 private:
  struct group {
    std::size_t begin, end, width, first_column;
    std::size_t before;  ///< parameters of a column in groups before this one
  };
  /// A column's parameters in a group, the ones that take() reached last.
  struct run {
    std::size_t begin = 0, end = 0;
    char* marks = nullptr;  ///< null: no l2 is due
    double fraction = 0.0;
  };

  template <class F>
  void go_to(std::size_t offset, const F& fraction_of) {
    const auto of = std::ranges::find_if(groups_, [&](const group& g) { return offset >= g.begin && offset < g.end; });
    here_ = {offset, offset + 1};
    if (of == groups_.end()) return;
    const std::size_t row = (offset - of->begin) / of->width, column = of->first_column + row;
    here_.begin = of->begin + row * of->width, here_.end = here_.begin + of->width;
    if (place_[column] == 0) return;
    here_.marks = taken_.data() + begin_of(place_[column], *of);
    here_.fraction = fraction_of(column);
  }
  /// Where the marks of the column at this place begin.
  std::size_t begin_of(std::size_t place, const group& g) const { return (place - 1) * width_ + g.before; }

  std::vector<group> groups_;
  std::size_t width_ = 0;               ///< parameters of a column in all groups
  std::vector<std::uint32_t> place_;    ///< of each column: 1 + its index in columns_; 0: not there
  std::vector<std::uint32_t> columns_;  ///< of the row
  std::vector<char> taken_;             ///< by place, then group
  run here_{};
};

}  // namespace hogwild
