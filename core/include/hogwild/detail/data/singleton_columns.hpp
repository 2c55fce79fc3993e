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

/// The columns that occur in rows [first, last) and in no other row, if the data say which columns are in one row each
/// (sparse_view::first_singleton): whoever trains on these rows is the only one to need them. The rows were looked at
/// with ensure().
column_range singleton_columns(const sparse_view& data, std::size_t first, std::size_t last);

}  // namespace hogwild
