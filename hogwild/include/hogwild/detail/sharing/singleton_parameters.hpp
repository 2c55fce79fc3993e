// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include <hogwild/detail/data/singleton_columns.hpp>
#include <hogwild/model.hpp>

namespace hogwild {

/// For a model that may touch more than the columns of its row: no column belongs to one row alone.
inline constexpr std::size_t no_singletons = static_cast<std::size_t>(-1);

/// Calls visit(offset, n) for each run of parameters that belong to the `columns` from `first_singleton` on, in groups
/// that are ordered by popularity, as far as they are among the first `held` parameters.
template <class Visit>
void for_singleton_parameters(column_range columns, std::size_t first_singleton,
                              std::span<const parameter_group> groups, std::size_t held, const Visit& visit) {
  const std::size_t first = std::max(columns.first, first_singleton);
  if (first >= columns.last) return;
  for (const parameter_group& g : groups) {
    if (!g.hot_first) continue;
    const std::size_t begin = std::min(g.offset + std::min(first, g.rows) * g.width, held);
    const std::size_t end = std::min(g.offset + std::min(columns.last, g.rows) * g.width, held);
    if (begin < end) visit(begin, end - begin);
  }
}

}  // namespace hogwild
