// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hogwild/model.hpp>

namespace hogwild {

/// Orders parameters as users see them: by the input numbers of the columns, while training orders them by popularity.
/// In groups with a row for each column the rows are reordered within the group; everything else stays where it is.
class parameter_order {
 public:
  parameter_order() = default;
  /// `original[position]`: the input numbers of the columns, distinct.
  parameter_order(std::span<const parameter_group> groups, std::span<const std::uint32_t> original);

  /// The input numbers of all columns, ascending.
  const std::vector<std::uint32_t>& columns() const { return columns_; }

  /// Calls copy(from, to, n) for runs of n parameters that together cover all: `from` is the place in training's order,
  /// `to` the place in this order.
  template <class Copy>
  void for_runs(const Copy& copy) const {
    for (const run& r : fixed_) copy(r.offset, r.offset, r.size);
    for (const moved_rows& g : moved_)
      for (std::size_t k = 0; k < g.rows.size(); ++k)
        copy(g.offset + g.rows[k] * g.width, g.offset + k * g.width, g.width);
  }

  /// Training's parameters, in this order.
  std::vector<float> of(std::span<const float> parameters) const;

 private:
  struct run {
    std::size_t offset, size;
  };
  /// A group whose rows move: rows[k] is training's number of its k-th row.
  struct moved_rows {
    std::size_t offset, width;
    std::vector<std::uint32_t> rows;
  };

  std::vector<std::uint32_t> columns_{};
  std::vector<run> fixed_{};
  std::vector<moved_rows> moved_{};
};

}  // namespace hogwild
