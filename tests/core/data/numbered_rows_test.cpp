// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/data/numbered_rows.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/error.hpp>
#include <hogwild/rows.hpp>

#include "support/refusals.hpp"

namespace hogwild::detail {
namespace {

using entries_of_a_row = std::vector<std::pair<std::uint32_t, float>>;

std::vector<entries_of_a_row> entries_of(const sparse_view& view) {
  std::vector<entries_of_a_row> all;
  row_cursor cursor(view);
  for (std::size_t r = 0; r < view.rows(); ++r) {
    const sparse_row<float> z = cursor.row(r);
    EXPECT_EQ(z.label, 0.0f);
    entries_of_a_row row;
    for (std::size_t k = 0; k < z.index.size(); ++k) row.emplace_back(z.index[k], z.value[k]);
    all.push_back(row);
  }
  return all;
}

/// Rows of random columns, some of which the numbering lacks, and empty rows.
struct random_rows {
  std::vector<std::int64_t> start{0};
  std::vector<std::uint32_t> index{};
  std::vector<double> value{};

  explicit random_rows(std::size_t rows, std::uint32_t columns) {
    std::mt19937 draw(1);
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::uint32_t j = 0; j < columns; ++j) {
        if (draw() % 4 != 0 || r % 5 == 0) continue;
        index.push_back(j);
        value.push_back(static_cast<double>(draw() % 1000) / 8.0);
      }
      start.push_back(static_cast<std::int64_t>(index.size()));
    }
  }
};

TEST(numbered_rows, are_those_of_a_dataset_through_the_same_numbering) {
  const random_rows rows(40, 30);
  for (const std::uint32_t first : {0u, 1u}) {
    const std::vector<std::uint32_t> known = {17, 3, 29, 4, 11, 8, 90};
    const column_numbering numbering(known);
    const row_options options{.numbering = &numbering, .labels_optional = true, .columns = 30, .first_column = first};
    const std::vector<float> none(40);
    const csr_arrays from{.row_start = rows.start, .index = rows.index, .value = rows.value, .label = none};
    const numbered_rows made(from, options);
    const sparse_dataset copied = rows_from(from, options);
    EXPECT_EQ(entries_of(made.view()), entries_of(copied.view()));
    EXPECT_EQ(made.view().columns, 7u);
    EXPECT_THAT(std::vector(made.view().original.begin(), made.view().original.end()),
                testing::ElementsAreArray(known));
  }
}

TEST(numbered_rows, of_dense_rows_are_those_of_their_columns) {
  const std::vector<float> value = {1, 2, 3, 4, 5, 6};
  const std::vector<double> wide(value.begin(), value.end());
  const std::vector<std::uint32_t> as_given = {0, 1, 2}, turned = {2, 0, 1}, fewer = {1}, more = {2, 7, 0};
  const auto told = [&](const std::vector<std::uint32_t>& known, const real_numbers& numbers) {
    const column_numbering numbering(known);
    const numbered_rows rows(numbers, 2, 3, {.numbering = &numbering});
    EXPECT_EQ(rows.view().columns, known.size());
    const bool borrowed = rows.view().value.data() == value.data();
    EXPECT_EQ(borrowed, known == as_given && numbers.visit([](auto from) { return sizeof from[0]; }) == sizeof(float));
    return entries_of(rows.view());
  };
  for (const real_numbers& numbers : {real_numbers(value), real_numbers(wide)}) {
    EXPECT_EQ(told(as_given, numbers),
              (std::vector<entries_of_a_row>{{{0, 1}, {1, 2}, {2, 3}}, {{0, 4}, {1, 5}, {2, 6}}}));
    EXPECT_EQ(told(turned, numbers),
              (std::vector<entries_of_a_row>{{{0, 3}, {1, 1}, {2, 2}}, {{0, 6}, {1, 4}, {2, 5}}}));
    EXPECT_EQ(told(fewer, numbers), (std::vector<entries_of_a_row>{{{0, 2}}, {{0, 5}}}));
    EXPECT_EQ(told(more, numbers), (std::vector<entries_of_a_row>{{{0, 3}, {2, 1}}, {{0, 6}, {2, 4}}}));
  }
}

TEST(numbered_rows, that_are_none_are_refused_by_their_place) {
  const std::vector<std::uint32_t> known = {0, 1, 2};
  const column_numbering numbering(known);
  const row_options options{.name = "X", .numbering = &numbering, .columns = 3};
  const std::vector<std::int32_t> start = {0, 1, 3};
  const auto said = [&](const std::vector<std::int32_t>& index, const std::vector<double>& value) {
    return test::message_of<input_error>(
        [&] { (void)numbered_rows({.row_start = start, .index = index, .value = value}, options); });
  };
  EXPECT_EQ(said({0, 1, 2}, {1, 2, 3}), "accepted");
  EXPECT_THAT(said({0, 1, 3}, {1, 2, 3}), testing::HasSubstr("X: index[2], in row 2, is 3, but there are only 3"));
  EXPECT_THAT(said({0, -1, 2}, {1, 2, 3}), testing::HasSubstr("X: index[1], in row 2, is -1; columns count from 0"));
  EXPECT_THAT(said({0, 1, 1}, {1, 2, 3}), testing::HasSubstr("X: row 2 has column 1 twice"));
  EXPECT_THAT(said({0, 1, 2}, {1, 2, 1e39}), testing::HasSubstr("X: value[2], in row 2, is no finite number"));
  EXPECT_THAT(said({0, 1, 2}, {std::nan(""), 2, 3}), testing::HasSubstr("X: value[0], in row 1"));
  EXPECT_THAT(said({0, 1}, {1, 2, 3}), testing::HasSubstr("index has 2 numbers and value has 3"));
  EXPECT_THAT(said({0, 1}, {1, 2}), testing::HasSubstr("X: row_start[2] is 3"));
  const std::vector<float> dense = {1, 2, 3, 4, std::numeric_limits<float>::infinity(), 6};
  EXPECT_THROW(numbered_rows(real_numbers(dense), 2, 3, options), input_error);
  EXPECT_THROW(numbered_rows(real_numbers(dense), 3, 3, options), input_error);
}

TEST(numbered_rows, may_be_none_and_have_no_columns) {
  const std::vector<std::uint32_t> known = {5};
  const column_numbering numbering(known);
  const row_options options{.numbering = &numbering};
  const std::vector<std::int64_t> empty = {0}, one = {0, 0};
  EXPECT_EQ(numbered_rows({.row_start = empty}, options).view().rows(), 0u);
  EXPECT_EQ(entries_of(numbered_rows({.row_start = one}, options).view()), std::vector<entries_of_a_row>(1));
  const std::vector<float> value;
  EXPECT_EQ(numbered_rows(real_numbers(value), 0, 3, options).view().rows(), 0u);
  EXPECT_EQ(numbered_rows(real_numbers(value), 2, 0, options).view().rows(), 2u);
}

}  // namespace
}  // namespace hogwild::detail
