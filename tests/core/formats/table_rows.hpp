// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
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

/// The rows and the schema do not depend on threads, blocks and memory. `further(found, expected)` compares more.
inline void expect_same_however_read(const std::string& path, const table_request& how,
                                     const std::filesystem::path& folder,
                                     const std::function<void(const table& found, const table& expected)>& further) {
  open_options one = uncached, four = uncached, little = uncached;
  one.threads = 1, four.threads = 4;
  little.memory = std::uint64_t{16} << 20, little.cache_folder = folder;
  const table expected = open_table(path, how, one);
  for (const open_options& options : {four, little}) {
    const table found = open_table(path, how, options);
    const sparse_view a = found.rows.view(), b = expected.rows.view();
    EXPECT_EQ(*found.schema, *expected.schema);
    EXPECT_TRUE(std::ranges::equal(a.row_start, b.row_start));
    EXPECT_TRUE(std::ranges::equal(a.index, b.index));
    EXPECT_TRUE(std::ranges::equal(a.value, b.value));
    EXPECT_TRUE(std::ranges::equal(a.original, b.original));
    further(found, expected);
  }
}

}  // namespace hogwild::test
