// SPDX-License-Identifier: Apache-2.0
#include "rivals/export.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include <hogwild/error.hpp>

#include "support/scratch_folder.hpp"

namespace hogwild::bench {
namespace {

using test::scratch_folder;

/// Two rows over three columns: position 0 is input column 9, position 1 is 4, position 2 is 7.
struct two_rows {
  std::vector<std::uint64_t> row_start{0, 2, 3};
  std::vector<std::uint32_t> index{0, 1, 2};
  std::vector<float> value{0.5f, 0.1f, -2.0f};
  std::vector<double> label{7.0, 3.0};
  std::vector<std::uint32_t> original{9, 4, 7};
  label_map labels{label_kind::binary, {3.0, 7.0}};

  sparse_view view() const {
    return {.row_start = row_start, .index = index, .value = value, .label = label, .columns = 3};
  }
  std::string exported(export_format format) const {
    const scratch_folder folder;
    const auto file = folder.path() / "rows";
    export_rows(view(), exported_columns(original), labels, format, file);
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

TEST(rival_export, text_has_input_columns_in_order_and_labels_of_one) {
  EXPECT_EQ(two_rows{}.exported(export_format::libsvm), "1 4:0.1 9:0.5\n-1 7:-2\n");
  EXPECT_EQ(two_rows{}.exported(export_format::vw), "1 | 4:0.1 9:0.5\n-1 | 7:-2\n");
}

TEST(rival_export, hazy_gets_counted_records_with_columns_from_0) {
  struct record {
    std::int32_t row, column;
    double value;
  };
  const std::string bytes = two_rows{}.exported(export_format::hazy);
  ASSERT_EQ(bytes.size(), 8 + 5 * sizeof(record));
  std::uint64_t count = 0;
  std::memcpy(&count, bytes.data(), sizeof count);
  EXPECT_EQ(count, 5u);
  record r[5];
  std::memcpy(r, bytes.data() + 8, sizeof r);
  const record wanted[5] = {{0, -2, 1.0}, {0, 3, 0.1f}, {0, 8, 0.5}, {1, -2, -1.0}, {1, 6, -2.0}};
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(r[i].row, wanted[i].row) << i;
    EXPECT_EQ(r[i].column, wanted[i].column) << i;
    EXPECT_EQ(r[i].value, wanted[i].value) << i;
  }
}

TEST(rival_export, columns_that_count_from_0_are_moved_up) {
  two_rows rows;
  rows.original = {0, 4, 7};
  EXPECT_EQ(rows.exported(export_format::libsvm), "1 1:0.5 5:0.1\n-1 8:-2\n");
  EXPECT_EQ(exported_columns(rows.original).largest(), 8u);
}

TEST(rival_export, weights_come_back_to_their_positions) {
  const std::vector<std::uint32_t> original{9, 4, 7};
  const exported_columns columns(original);
  const std::vector<double> weights{0, 0, 0, 0, 40, 0, 0, 70};
  EXPECT_EQ(columns.by_position(weights), (std::vector<float>{0.0f, 40.0f, 70.0f})) << "column 9 is out of its reach";
}

TEST(rival_export, a_file_that_cannot_be_written_is_told) {
  const two_rows rows;
  EXPECT_THROW(
      export_rows(rows.view(), exported_columns(rows.original), rows.labels, export_format::libsvm, "/nowhere/rows"),
      resource_error);
}

}  // namespace
}  // namespace hogwild::bench
