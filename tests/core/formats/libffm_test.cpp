// SPDX-License-Identifier: Apache-2.0
#include <hogwild/formats/libffm.hpp>

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/error.hpp>

#include "formats/libffm_parser.hpp"
#include "support/refusals.hpp"
#include "support/scratch_folder.hpp"
#include "text/decimal.hpp"

namespace hogwild {
namespace {

using testing::ElementsAre;
using entry = std::tuple<std::uint32_t, std::uint32_t, float>;  ///< field, index, value

entry entry_of(std::uint32_t column, float value) {
  return {field_of(column), (column - 1) & largest_field_index, value};
}

struct parsed_libffm {
  std::vector<std::vector<entry>> rows{};
  std::vector<double> labels{};
  std::optional<detail::row_fault> fault{};
  std::size_t lines = 0;
};

parsed_libffm parse_libffm(std::string text, bool labels_optional = false) {
  const std::size_t length = text.size();
  text.append(detail::text_padding, '\0');
  std::vector<std::uint32_t> index(detail::libffm_capacity(length));
  std::vector<float> value(index.size());
  detail::row_block block;
  block.index = index.data(), block.value = value.data();
  detail::parse_libffm_block(std::string_view(text).substr(0, length), {.labels_optional = labels_optional}, block);
  parsed_libffm result{.labels = block.label, .fault = block.fault, .lines = block.lines};
  std::size_t k = 0;
  for (const std::uint32_t end : block.row_end) {
    result.rows.emplace_back();
    for (; k < end; ++k) {
      EXPECT_LT(index[k], block.columns);
      result.rows.back().push_back(entry_of(index[k] + 1, value[k]));
    }
  }
  EXPECT_EQ(k, block.entries);
  return result;
}

TEST(libffm, reads_fields_indices_and_values) {
  const parsed_libffm found = parse_libffm(
      "1 0:7:1 1:0:0.5 2:4194303:-2e-1\n"
      "\t-1\t3:1:1   0:5:2 # said\n"
      "\n# nothing\n"
      "0.25\r\n"
      "+0 1022:4194303:1 \r\n");
  ASSERT_FALSE(found.fault) << found.fault->message;
  EXPECT_THAT(found.labels, ElementsAre(1.0, -1.0, 0.25, 0.0));
  EXPECT_THAT(found.rows[0], ElementsAre(entry{0, 7, 1.0f}, entry{1, 0, 0.5f}, entry{2, 4194303, -0.2f}));
  EXPECT_THAT(found.rows[1], ElementsAre(entry{3, 1, 1.0f}, entry{0, 5, 2.0f}));
  EXPECT_TRUE(found.rows[2].empty());
  EXPECT_THAT(found.rows[3], ElementsAre(entry{largest_field, largest_field_index, 1.0f}));
  EXPECT_EQ(found.lines, 6u);
}

TEST(libffm, the_shortest_entries_have_room) {
  std::string text;
  for (int line = 0; line < 200; ++line) text += "0:0:1\n";
  EXPECT_EQ(parse_libffm(text, true).rows.size(), 200u);
  text = "0:0:1";
  for (int k = 1; k < 10; ++k) text += " " + std::to_string(k) + ":0:1";
  EXPECT_EQ(parse_libffm(text + "\n", true).rows[0].size(), 10u);
}

TEST(libffm, labels_may_be_missing_where_nobody_needs_them) {
  const parsed_libffm found = parse_libffm("1:2:3 2:2:1\n-1 4:5:6\n", true);
  ASSERT_FALSE(found.fault);
  EXPECT_THAT(found.labels, ElementsAre(0.0, -1.0));
  EXPECT_THAT(found.rows[0], ElementsAre(entry{1, 2, 3.0f}, entry{2, 2, 1.0f}));
}

TEST(libffm, faults_have_a_place_and_say_what_is_wrong) {
  const test::faulty_text faults[] = {
      {"1 0:1:1\n1 0:1\n", 2, 3, "'0:1' is not 'field:index:value'"},
      {"1 7\n", 1, 3, "'7' is not 'field:index:value'"},
      {"0:1:1\n", 1, 1, "not with a label"},
      {"x 0:1:1\n", 1, 1, "the label 'x' is not a number"},
      {"1e999 0:1:1\n", 1, 1, "the label '1e999' is not finite in double precision"},
      {"1 a:1:1\n", 1, 3, "the field 'a' is not a whole number"},
      {"1 :1:1\n", 1, 3, "the field '' is not a whole number"},
      {"1 -1:1:1\n", 1, 3, "the field '-1' is not a whole number"},
      {"1 1:2.5:1\n", 1, 5, "the index '2.5' is not a whole number"},
      {"1 1023:0:1\n", 1, 3, "the field '1023' is too large; the largest is 1022"},
      {"1 99999999999999999999999:0:1\n", 1, 3, "is too large"},
      {"1 0:4194304:1\n", 1, 5, "the index '4194304' is too large; the largest is 4194303"},
      {"1 0:1:x\n", 1, 7, "the value 'x' is not a number"},
      {"1 0:1:\n", 1, 7, "the value '' is not a number"},
      {"1 0:1:1:1\n", 1, 7, "the value '1:1' is not a number"},
      {"1 0:1:1e39\n", 1, 7, "the value '1e39' is not finite in single precision"},
      {"1 0:1:nan\n", 1, 7, "the value 'nan'"},
      {"1 2:1:1 0:1:1 2:1:5\n", 1, 15, "'2:1' stands twice in this line"},
      {"1 0:1:1 0:1:1 0:1:1\n", 1, 9, "'0:1' stands twice"},
      {"0:4:1 0:1:1  0:4:1\n", 1, 1, "not with a label"},
      {"1 0:1:1 \r 0:2:1\n", 1, 9, "carriage return"},
      {"\r1 0:1:1\n", 1, 1, "carriage return"},
  };
  for (const test::faulty_text& bad : faults) {
    const parsed_libffm found = parse_libffm(bad.text);
    ASSERT_TRUE(found.fault) << bad.text;
    expect_fault(*found.fault, bad);
    EXPECT_EQ(found.rows.size(), bad.line - 1);
  }
  const parsed_libffm without_label = parse_libffm("0:4:1 0:1:1  0:4:1\n", true);
  ASSERT_TRUE(without_label.fault);
  EXPECT_EQ(without_label.fault->column, 14u);
}

TEST(libffm, columns_are_pairs_of_field_and_index) {
  EXPECT_EQ(field_column(0, 0), 1u);
  EXPECT_EQ(field_of(field_column(largest_field, largest_field_index)), largest_field);
  EXPECT_LT(field_column(largest_field, largest_field_index), column_numbering::unknown);
  EXPECT_EQ(count_fields({}), 0u);
  const std::vector<std::uint32_t> columns = {field_column(4, 9), field_column(6, 0), field_column(0, 3)};
  EXPECT_EQ(count_fields(columns), 7u);
}

TEST(libffm, a_file_becomes_rows_that_know_their_fields) {
  const test::scratch_folder folder;
  const std::string path = folder.write("train.ffm", "1 0:1:1 1:1:2\n0 0:1:3\n1 1:1:1 0:1:1\n");
  const sparse_dataset train = open_libffm(path);
  ASSERT_EQ(train.features(), 2u);
  EXPECT_THAT(std::vector(train.view().original.begin(), train.view().original.end()),
              ElementsAre(field_column(0, 1), field_column(1, 1)));
  EXPECT_TRUE(open_libffm(path).from_cache());
  EXPECT_THROW(open_libsvm(path), format_error);

  const sparse_dataset tested =
      open_libffm(folder.write("test.ffm", "1 2:1:1 0:1:4\n0 0:2:1\n"), {.numbering = &train.numbering()});
  EXPECT_EQ(tested.unknown_entries(), 2u);
  row_cursor rows(tested.view());
  EXPECT_THAT(std::vector(rows.row(0).index.begin(), rows.row(0).index.end()), ElementsAre(0u));
  EXPECT_EQ(rows.row(1).size(), 0u);

  const std::string wrong = folder.write("wrong.ffm", "1 0:1:1\n1 0:1:1 2\n");
  test::expect_refused({wrong, 2, 9, "wrong.ffm:2:9: '2' is not 'field:index:value'"}, [&] { open_libffm(wrong); });
}

}  // namespace
}  // namespace hogwild
