// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/formats/named_lines.hpp>

#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/error.hpp>

#include "support/refusals.hpp"
#include "support/scratch_folder.hpp"
#include "table_rows.hpp"

namespace hogwild {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using namespace test;

/// The entries of each row by name.
std::vector<named_row> named(const libsvm_rows& rows, const table_schema& schema) {
  std::vector<named_row> made;
  for (std::size_t r = 1; r < rows.row_start.size(); ++r) {
    named_row& one = made.emplace_back();
    for (std::size_t k = rows.row_start[r - 1]; k < rows.row_start[r]; ++k)
      one.emplace(schema.name_of_input(rows.index[k] + 1), rows.value[k]);
  }
  return made;
}

const std::string some_table =
    "y,n,site,tags,w,more\n1,0.5,a,x|y,2,3\n-1,,\"b\nc\",,1,4\n1,7,a,y,0,5\n-1,0,,x,3,6\n1,2,\"d,\"\"e\",z|x|q,1,1\n";

table_request request() {
  return {.label = "y",
          .weight = "w",
          .numeric = {"n"},
          .categorical = {"site"},
          .lists = {"tags"},
          .ignored = {"more"},
          .interactions = {"site*n"},
          .scaled = false,
          .hash_bits = 10};
}

TEST(named_lines, are_the_rows_of_the_file) {
  const scratch_folder folder;
  table_request how = request();
  const table file = open_table(folder.write("t.csv", some_table), how, uncached);
  named_lines lines(how);
  const std::size_t header = lines.begin(some_table, "text");
  ASSERT_EQ(header, some_table.find('\n') + 1);
  const libsvm_rows rows = lines.parse(std::string_view(some_table).substr(header), "text");
  EXPECT_EQ(named_rows(file.rows, *file.schema), named(rows, lines.schema()));
  EXPECT_THAT(rows.label, ElementsAre(1, -1, 1, -1, 1));
  EXPECT_THAT(rows.weight, ElementsAre(2, 1, 0, 3, 1));
  EXPECT_EQ(lines.schema(), *file.schema);
}

TEST(named_lines, by_a_schema_have_no_entry_for_a_value_without_a_name) {
  const scratch_folder folder;
  table_request how = request();
  how.hash_bits = 0, how.weight.clear(), how.ignored.push_back("w"), how.interactions.clear(), how.scaled = true;
  const table file = open_table(folder.write("t.csv", some_table), how, uncached);
  named_lines lines(*file.schema);
  const std::string text = "\n site ,tags,y,n\na,x|new|y,1,8\nother,new,-1,\n";
  const std::size_t header = lines.begin(text, "text");
  const auto rows = named(lines.parse(std::string_view(text).substr(header), "text"), lines.schema());
  const float divisor = file.schema->columns[1].divisor, third = 1.0f / std::sqrt(3.0f);
  ASSERT_GT(divisor, 1.0f);
  EXPECT_EQ(rows[0], (named_row{{"n", 8.0f / divisor}, {"site=a", 1.0f}, {"tags=x", third}, {"tags=y", third}}));
  EXPECT_EQ(rows[1], (named_row{{"n=missing", 1.0f}}));
  EXPECT_THAT(message_of<input_error>([&] { named_lines(*file.schema).begin("site,y,n\na,1,2\n", "text"); }),
              HasSubstr("text: there is no column 'tags'"));
}

TEST(named_lines, say_where_a_fault_is) {
  named_lines lines(request());
  const std::size_t header = lines.begin(some_table, "text");
  EXPECT_THAT(message_of<format_error>([&] { lines.parse("1,2,a,,1,1\n1,\"x\n\",a,,1,1\n", "text"); }),
              HasSubstr("text:2:3: "));
  EXPECT_GT(header, 0u);
}

TEST(named_lines, refuse_what_depends_on_all_rows) {
  const auto refusal = [](table_request how) {
    return message_of<config_error>([&] { named_lines(how).begin(some_table, "text"); });
  };
  table_request how = request();
  how.ignored.clear();
  EXPECT_THAT(refusal(how), HasSubstr("name 'more' with --numeric"));
  how = request(), how.scaled = true;
  EXPECT_THAT(refusal(how), HasSubstr("--numbers as_given"));
  how = request(), how.hash_bits = 0;
  EXPECT_THAT(refusal(how), HasSubstr("the values of 'site' have columns by name"));
  how = request(), how.hash_bits = 0, how.min_rows = 2;
  EXPECT_THAT(refusal(how), HasSubstr("--min-rows"));
  EXPECT_THAT(refusal({.text = named_text::labelled_text}), HasSubstr("labels of labelled text"));
}

}  // namespace
}  // namespace hogwild
