// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/data/singleton_columns.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/dataset.hpp>
#include <hogwild/error.hpp>

#include "support/scratch_folder.hpp"

using namespace hogwild;

namespace {

/// Columns 0 and 1 are in several rows; 2 is row 1's alone, 3 and 4 row 3's, 5 row 4's.
struct few_rows {
  std::vector<std::uint64_t> row_start{0, 1, 3, 3, 6, 8, 9};
  std::vector<std::uint32_t> index{0, 1, 2, /* */ 0, 3, 4, /* */ 1, 5, /* */ 0};
  std::vector<std::uint16_t> index16{0, 1, 2, 0, 3, 4, 1, 5, 0};
  std::vector<float> value = std::vector<float>(9, 1.0f);
  std::vector<double> label = std::vector<double>(6, 1.0);

  sparse_view view(bool narrow) const {
    sparse_view rows{
        .row_start = row_start, .value = value, .label = std::span(label), .columns = 6, .first_singleton = 2};
    if (narrow)
      rows.index16 = index16;
    else
      rows.index = index;
    return rows;
  }
};

struct singletons_of : testing::TestWithParam<bool> {
  void expect(std::size_t first, std::size_t last, std::size_t from, std::size_t to) const {
    const column_range singletons = singleton_columns(rows.view(GetParam()), first, last);
    EXPECT_EQ(singletons.first, from) << first << " " << last;
    EXPECT_EQ(singletons.last, to) << first << " " << last;
  }
  few_rows rows;
};

TEST_P(singletons_of, rows_are_a_run_of_columns) {
  expect(0, 6, 2, 6);
  expect(0, 2, 2, 3);
  expect(2, 4, 3, 5);
  expect(3, 5, 3, 6);
  expect(4, 6, 5, 6);
}

TEST_P(singletons_of, rows_without_any_are_empty) {
  expect(0, 1, 0, 0);
  expect(2, 3, 0, 0);
  expect(5, 6, 0, 0);
  expect(3, 3, 0, 0);
}

TEST_P(singletons_of, data_that_do_not_know_them_are_empty) {
  sparse_view view = rows.view(GetParam());
  view.first_singleton = static_cast<std::size_t>(-1);
  EXPECT_EQ(singleton_columns(view, 0, 6).size(), 0u);
}

INSTANTIATE_TEST_SUITE_P(widths, singletons_of, testing::Bool());

TEST(singleton_columns, of_ingested_text_are_disjoint_for_disjoint_rows_and_cover_all_columns_of_one_row) {
  const test::scratch_folder folder;
  std::string text;
  std::uint64_t state = 1;
  std::vector<int> rows_with(200'000, 0);
  for (int r = 0; r < 4000; ++r) {
    text += r % 2 != 0 ? "1" : "-1";
    std::uint32_t column = 0;
    for (int k = 0; k < 50; ++k) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      column += 1 + static_cast<std::uint32_t>(state >> 40) % 8000;
      if (column >= rows_with.size()) break;
      text += ' ' + std::to_string(column) + ":0.3";
      ++rows_with[column];
    }
    text += '\n';
  }
  const sparse_dataset data = open_libsvm(folder.write("rows.svm", text), {.cache = open_options::cache_use::none});
  data.verify();
  const sparse_view view = data.view();
  ASSERT_LT(view.first_singleton, view.columns);
  EXPECT_EQ(view.columns - view.first_singleton, static_cast<std::size_t>(std::ranges::count(rows_with, 1)));
  std::size_t next = view.first_singleton;
  for (std::size_t first = 0; first < view.rows(); first += 7) {
    const column_range singletons = singleton_columns(view, first, std::min(first + 7, view.rows()));
    if (singletons.size() == 0) continue;
    EXPECT_EQ(singletons.first, next);
    next = singletons.last;
  }
  EXPECT_EQ(next, view.columns);
}

TEST(singleton_columns, are_none_in_a_copy_of_rows_in_another_order) {
  const std::vector<std::uint64_t> row_start{0, 2, 4, 6};
  const std::vector<std::uint32_t> index{0, 1, 0, 2, 0, 3};
  const std::vector<float> value(6, 1.0f);
  const std::vector<double> label{1, -1, 1};
  const sparse_view view{
      .row_start = row_start, .index = index, .value = value, .label = label, .columns = 4, .first_singleton = 1};
  const std::vector<std::size_t> ascending{0, 2}, turned{2, 0}, twice{1, 1};
  EXPECT_EQ(sparse_dataset::copy_of(view, ascending).view().first_singleton, 1u);
  for (const auto& order : {turned, twice}) {
    const sparse_dataset copy = sparse_dataset::copy_of(view, order);
    EXPECT_EQ(copy.view().first_singleton, 4u);
    for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(copy.view().id_of(i), order[i]);
    EXPECT_NO_THROW(copy.verify());
  }
}

TEST(singleton_columns, that_do_not_stand_last_in_their_row_are_a_damaged_file) {
  few_rows rows;
  sparse_dataset::copy_of(rows.view(false)).verify();
  std::swap(rows.index[3], rows.index[5]);  // 3 4 0
  EXPECT_THROW(sparse_dataset::copy_of(rows.view(false)).verify(), cache_error);
  std::swap(rows.index[3], rows.index[5]);
  std::swap(rows.index[4], rows.index[7]);  // in the order 2, 5, 4, 3
  EXPECT_THROW(sparse_dataset::copy_of(rows.view(false)).verify(), cache_error);
}

}  // namespace
