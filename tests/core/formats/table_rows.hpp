// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/formats/tables.hpp>

namespace hogwild::test {

using named_row = std::map<std::string, float>;

inline const open_options uncached{.cache = open_options::cache_use::none};

/// The rows in the order of the file, by the names of their columns.
inline std::vector<named_row> named_rows(sparse_dataset data, const table_schema& schema) {
  data.number_rows();
  const sparse_view view = data.view();
  std::vector<named_row> rows(view.rows());
  row_cursor cursor(view);
  for (std::size_t r = 0; r < view.rows(); ++r) {
    named_row& row = rows[view.id.empty() ? r : view.id[r]];
    for (auto [j, x] : cursor.row(r)) EXPECT_TRUE(row.emplace(schema.name_of_input(data.original(j)), x).second);
  }
  return rows;
}

/// The labels in the order of the file.
inline std::vector<double> labels_of(sparse_dataset data) {
  data.number_rows();
  const sparse_view view = data.view();
  std::vector<double> labels(view.rows());
  for (std::size_t r = 0; r < view.rows(); ++r) labels[view.id.empty() ? r : view.id[r]] = view.label[r];
  return labels;
}

}  // namespace hogwild::test
