// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <hogwild/detail/data/sparse_view.hpp>

namespace hogwild {

/// Columns [first, last) of the data.
struct column_range {
  std::size_t first = 0, last = 0;
  std::size_t size() const { return last - first; }
};

/// The columns that occur in rows [first, last) and in no other row, if the data say which columns occur in a single
/// row (sparse_view::first_singleton): only the worker that trains these rows needs them. ensure() must have checked
/// the rows.
column_range singleton_columns(const sparse_view& data, std::size_t first, std::size_t last);

}  // namespace hogwild
