// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/data/row_cursor.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace hogwild {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// The same three rows in every width; the values are halves.
struct rows_of_all_widths : ::testing::Test {
  const std::vector<std::uint64_t> row_start{0, 2, 2, 5};
  const std::vector<std::uint32_t> row_start32{0, 2, 2, 5};
  const std::vector<std::uint32_t> index{65535, 0, 1, 2, 40000};
  const std::vector<std::uint16_t> index16{65535, 0, 1, 2, 40000};
  const std::vector<float> value{0.5f, -65504.0f, 0x1p-24f, 0.0f, 3.0f};
  const std::vector<half> value16{to_half(0.5f), to_half(-65504.0f), to_half(0x1p-24f), to_half(0.0f), to_half(3.0f)};
  const std::vector<double> label{1.0, -1.0, 1.0};
  const std::vector<double> table{-1.0, 1.0};
  const std::vector<std::uint8_t> code{1, 0, 1};

  std::vector<sparse_view> views() const {
    return {{.row_start = row_start, .index = index, .value = value, .label = label, .columns = 65536},
            {.row_start = row_start, .index16 = index16, .value = value, .label = label, .columns = 65536},
            {.row_start = row_start32, .index = index, .value16 = value16, .label = label, .columns = 65536},
            {.row_start = row_start32,
             .index16 = index16,
             .value16 = value16,
             .label = label_column(code, table),
             .columns = 65536}};
  }
};

TEST_F(rows_of_all_widths, read_the_same) {
  for (const sparse_view& view : views()) {
    row_cursor cursor(view);
    const sparse_row<float> first = cursor.row(0);
    EXPECT_THAT(first.index, ElementsAre(65535, 0));
    EXPECT_THAT(first.value, ElementsAre(0.5f, -65504.0f));
    EXPECT_EQ(first.label, 1.0f);
    EXPECT_THAT(cursor.row(1).index, IsEmpty());
    EXPECT_EQ(cursor.label(1), -1.0);
    const sparse_row<float> last = cursor.row(2);
    EXPECT_THAT(last.index, ElementsAre(1, 2, 40000));
    EXPECT_THAT(last.value, ElementsAre(0x1p-24f, 0.0f, 3.0f));
    EXPECT_THAT(cursor.row(0).index, ElementsAre(65535, 0));  // a shorter row after a longer one
    EXPECT_EQ(view.nonzeros(), 5u);
  }
}

TEST_F(rows_of_all_widths, slice_alike) {
  for (const sparse_view& view : views()) {
    const sparse_view part = view.slice(1, 3);
    EXPECT_EQ(part.rows(), 2u);
    EXPECT_EQ(part.nonzeros(), 3u);
    row_cursor cursor(part);
    EXPECT_THAT(cursor.row(0).value, IsEmpty());
    EXPECT_THAT(cursor.row(1).index, ElementsAre(1, 2, 40000));
    EXPECT_EQ(cursor.label(1), 1.0);
    EXPECT_EQ(part.slice(0, 0).nonzeros(), 0u);
  }
}

TEST_F(rows_of_all_widths, wide_rows_are_not_copied) {
  row_cursor cursor(views()[0]);
  EXPECT_EQ(cursor.row(2).index.data(), index.data() + 2);
  EXPECT_EQ(cursor.row(2).value.data(), value.data() + 2);
}

TEST(row_cursor, reads_narrow_rows_of_every_length) {
  for (std::size_t length = 0; length < 70; ++length) {
    std::vector<std::uint16_t> index(length);
    std::vector<half> value(length);
    for (std::size_t k = 0; k < length; ++k) {
      index[k] = static_cast<std::uint16_t>(65535 - k);
      value[k] = static_cast<half>(450 * k);
    }
    const std::vector<std::uint64_t> row_start{0, length};
    const std::vector<double> label{0.0};
    row_cursor cursor({.row_start = row_start, .index16 = index, .value16 = value, .label = label, .columns = 65536});
    const sparse_row<float> row = cursor.row(0);
    ASSERT_EQ(row.size(), length);
    for (std::size_t k = 0; k < length; ++k) {
      ASSERT_EQ(row.index[k], 65535 - k);
      ASSERT_EQ(row.value[k], to_float(value[k]));
    }
  }
}

}  // namespace
}  // namespace hogwild
