// SPDX-License-Identifier: Apache-2.0
#include <hogwild/formats/tables.hpp>

#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/error.hpp>

#include "formats/table_parser.hpp"
#include "formats/table_schema.hpp"
#include "support/refusals.hpp"
#include "support/scratch_folder.hpp"
#include "table_rows.hpp"

namespace hogwild {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;
using namespace test;

class tables : public testing::Test {
 protected:
  /// With numbers as they are given.
  table read(const std::string& text, table_request how = {}, const open_options& options = uncached) {
    how.scaled = false;
    return open_table(folder_.write("t.csv", text), how, options);
  }
  std::vector<named_row> rows(const std::string& text, const table_request& how = {}) {
    const table found = read(text, how);
    return named_rows(found.rows, *found.schema);
  }
  std::string refusal(const std::string& text, const table_request& how = {}) {
    const std::string path = folder_.write("t.csv", text);
    const std::string said = test::message_of<input_error>([&] { open_table(path, how, uncached); });
    const std::size_t at = said.find(path);
    return at == said.npos ? said : said.substr(at + path.size());
  }
  test::scratch_folder folder_{};
};

TEST_F(tables, numbers_and_words_are_entries_by_name) {
  const table found = read(
      "click,age,site\n"
      "1,33,news\n"
      "0,0,sport\n"
      "1,,news\n"
      "0,-2.5e1,\n",
      {.label = "click"});
  EXPECT_THAT(labels_of(found.rows), ElementsAre(1.0, 0.0, 1.0, 0.0));
  EXPECT_THAT(
      named_rows(found.rows, *found.schema),
      ElementsAre(named_row{{"age", 33.0f}, {"site=news", 1.0f}}, named_row{{"site=sport", 1.0f}},
                  named_row{{"age=missing", 1.0f}, {"site=news", 1.0f}}, named_row{{"age", -25.0f}, {"site=", 1.0f}}));
  EXPECT_THAT(found.schema->values[2], ElementsAre("", "news", "sport"));
}

/// Each text has the same two rows.
TEST_F(tables, separators_line_ends_and_quotes_are_found_out) {
  const std::string texts[] = {
      "click,age,site\n1,33,a b\n0,7,c\n",
      "click;age;site\n1;33;a b\n0;7;c\n",
      "click\tage\tsite\n1\t33\ta b\n0\t7\tc",
      "click|age|site\n1|33|a b\n0|7|c\n",
      "click,age,site\r\n1,33,a b\r\n0,7,c\r\n",
      "\xef\xbb\xbf"
      "click,age,site\n1,33,a b\n0,7,c\n",
      "\"click\",\"age\",\"site\"\n\"1\",\"33\",\"a b\"\n\"0\",\"7\",\"c\"\n",
      "\"click\", age , site\r\n1 ,\"33\" ,a b\r\n\r\n0, 7, \"c\"\r\n",
  };
  for (const std::string& text : texts) {
    EXPECT_THAT(rows(text, {.label = "click"}),
                ElementsAre(named_row{{"age", 33.0f}, {"site=a b", 1.0f}}, named_row{{"age", 7.0f}, {"site=c", 1.0f}}))
        << text;
  }
}

TEST_F(tables, quoted_fields_hold_separators_line_ends_and_quotation_marks) {
  EXPECT_THAT(
      rows("y,s\n1,\"a,\"\"b\"\"\nc\"\n2,\"\"\"\"\n3,\"=\\\"\n", {.label = "y"}),
      ElementsAre(named_row{{"s=a,\"b\"\\x0ac", 1.0f}}, named_row{{"s=\"", 1.0f}}, named_row{{"s==\\\\", 1.0f}}));
}

TEST_F(tables, without_a_header_columns_are_called_by_their_number) {
  const table found = read("1,2.5,a\n0,3,b\n", {.label = "1"});
  EXPECT_FALSE(found.schema->header);
  EXPECT_THAT(named_rows(found.rows, *found.schema),
              ElementsAre(named_row{{"2", 2.5f}, {"3=a", 1.0f}}, named_row{{"2", 3.0f}, {"3=b", 1.0f}}));
  EXPECT_THAT(rows("1999,2000\n5,6\n", {.label = "1999", .header = true}), ElementsAre(named_row{{"2000", 6.0f}}));
  EXPECT_THAT(rows("a,b\nc,d\n", {.label = "1", .header = false}),
              ElementsAre(named_row{{"2=b", 1.0f}}, named_row{{"2=d", 1.0f}}));
}

TEST_F(tables, names_and_patterns_say_the_kinds) {
  const std::string text = "y,c_1,c_2,n,id\n1,1,2,3,9\n0,4,5,6,8\n";
  EXPECT_THAT(rows(text, {.label = "y", .categorical = {"c_*"}, .ignored = {"id"}}),
              ElementsAre(named_row{{"c_1=1", 1.0f}, {"c_2=2", 1.0f}, {"n", 3.0f}},
                          named_row{{"c_1=4", 1.0f}, {"c_2=5", 1.0f}, {"n", 6.0f}}));
  EXPECT_THAT(rows(text, {.label = "y", .numeric = {"n"}, .ignored = {"*"}}),
              ElementsAre(named_row{{"n", 3.0f}}, named_row{{"n", 6.0f}}));
}

TEST_F(tables, labels_may_be_words) {
  const table found = read("y,x\nspam,1\nham,2\nspam,3\n\"new mail\",4\n", {.label = "y"});
  EXPECT_THAT(found.schema->labels, ElementsAre("ham", "new mail", "spam"));
  EXPECT_THAT(labels_of(found.rows), ElementsAre(2.0, 0.0, 2.0, 1.0));
}

TEST_F(tables, values_by_hash_need_no_names) {
  const table found = read("y,s,t\n1,a,a\n0,b,a\n1,a,b\n", {.label = "y", .hash_bits = 12});
  EXPECT_THAT(found.schema->values, testing::Each(IsEmpty()));
  const std::vector<named_row> all = named_rows(found.rows, *found.schema);
  ASSERT_EQ(all.size(), 3u);
  for (const named_row& row : all) EXPECT_EQ(row.size(), 2u);
  EXPECT_EQ(all[0].begin()->first, all[2].begin()->first);
  EXPECT_NE(all[0].begin()->first, all[1].begin()->first);
  EXPECT_THAT(all[0].begin()->first, testing::MatchesRegex("s=#[0-9]+"));
}

/// Names meet the threads in any order; the numbers depend on the names alone.
TEST_F(tables, numbers_of_values_do_not_depend_on_threads_or_blocks) {
  std::string text = "y,a,b\n";
  for (int k = 0; k < 60000; ++k)
    text += std::to_string(k % 2) + ",v" + std::to_string(k * 7919 % 4001) + ",w" + std::to_string(k % 13) + "\n";
  const std::string path = folder_.write("big.csv", text);
  open_options one = uncached, four = uncached;
  one.threads = 1, four.threads = 4;
  const table a = open_table(path, {.label = "y"}, one), b = open_table(path, {.label = "y"}, four);
  EXPECT_EQ(*a.schema, *b.schema);
  EXPECT_TRUE(std::ranges::is_sorted(a.schema->values[1]));
  EXPECT_EQ(named_rows(a.rows, *a.schema), named_rows(b.rows, *b.schema));
  EXPECT_EQ(a.schema->values[1].size(), 4001u);
}

TEST_F(tables, numbers_are_divided_by_a_power_of_two_near_their_typical_size) {
  std::string text = "y,big,small,one,none\n";
  for (int k = 0; k < 100; ++k)
    text +=
        std::to_string(k % 2) + "," + std::to_string(1000 * (k % 3)) + "," + std::to_string(1e-5 * (k + 1)) + ",1,\n";
  const table found = open_table(folder_.write("t.csv", text), {.label = "y", .numeric = {"none"}}, uncached);
  const table as_given = read(text, {.label = "y", .numeric = {"none"}});
  std::vector<float> divisors;
  for (const table_column& column : found.schema->columns) divisors.push_back(column.divisor);
  // Of 1000 and 2000 the root of the mean square is 1581; of sizes up to 0.001 it is 0.00058.
  EXPECT_THAT(divisors, ElementsAre(1.0f, 1024.0f, 0x1p-11f, 1.0f, 1.0f));
  std::vector<named_row> expected = named_rows(as_given.rows, *as_given.schema);
  for (named_row& row : expected) {
    if (row.contains("big")) row["big"] /= 1024.0f;
    row["small"] *= 0x1p11f;
  }
  EXPECT_EQ(named_rows(found.rows, *found.schema), expected);
  // Rows that are read by the schema are divided, too.
  open_options through = uncached;
  through.numbering = &found.rows.numbering();
  EXPECT_THAT(
      named_rows(open_table(folder_.write("u.csv", "y,big,small,one,none\n1,512,0,1,\n"), *found.schema, through),
                 *found.schema),
      ElementsAre(named_row{{"big", 0.5f}, {"one", 1.0f}, {"none=missing", 1.0f}}));
}

/// Rows that do not fit into memory are the same as rows that do.
TEST_F(tables, rows_in_a_file_are_the_same) {
  std::string text = "y,a,b,n\n";
  for (int k = 0; k < 250'000; ++k)
    text += (k % 3 == 0 ? "no" : "yes") + std::string(",v") + std::to_string(k * 7919LL % 40'009) + ",w" +
            std::to_string(k % 13) + "," + std::to_string(k % 1000) + "\n";
  const std::string path = folder_.write("big.csv", text);
  open_options little = uncached;
  little.memory = std::uint64_t{16} << 20;
  little.cache_folder = folder_.path();
  const table a = open_table(path, {.label = "y"}, uncached), b = open_table(path, {.label = "y"}, little);
  EXPECT_EQ(*a.schema, *b.schema);
  EXPECT_TRUE(std::ranges::equal(a.rows.view().row_start, b.rows.view().row_start));
  EXPECT_TRUE(std::ranges::equal(a.rows.view().index, b.rows.view().index));
  EXPECT_TRUE(std::ranges::equal(a.rows.view().value, b.rows.view().value));
  EXPECT_TRUE(std::ranges::equal(a.rows.view().label, b.rows.view().label));
  EXPECT_TRUE(std::ranges::equal(a.rows.view().original, b.rows.view().original));
}

TEST_F(tables, names_count_as_memory) {
  std::string text = "y,a\n";
  for (int k = 0; k < 400'000; ++k) text += std::to_string(k % 2) + ",v" + std::to_string(k * 7919LL) + "\n";
  const std::string path = folder_.write("names.csv", text);
  open_options little = uncached;
  little.memory = std::uint64_t{16} << 20;
  little.cache_folder = folder_.path();
  EXPECT_THAT(test::message_of<resource_error>([&] { open_table(path, {.label = "y", .categorical = {"a"}}, little); }),
              HasSubstr("its columns and their names alone take more than the 16 MiB of memory that parsing may take"));
  EXPECT_EQ(open_table(path, {.label = "y", .categorical = {"a"}, .hash_bits = 8}, little).rows.rows(), 400'000u);
}

/// Known values keep their numbers, and new ones come after them.
TEST_F(tables, further_rows_extend_the_schema) {
  const table known = read("y,s,n\nno,b,1\nyes,d,2\n", {.label = "y"});
  const table more =
      open_more_of_table(folder_.write("m.csv", "n,s,y\n3,c,yes\n4,b,maybe\n5,a,no\n"), *known.schema, uncached);
  EXPECT_THAT(more.schema->values[1], ElementsAre("b", "d", "a", "c"));
  EXPECT_THAT(more.schema->labels, ElementsAre("no", "yes", "maybe"));
  EXPECT_THAT(labels_of(more.rows), ElementsAre(1.0, 2.0, 0.0));
  EXPECT_THAT(named_rows(more.rows, *more.schema),
              ElementsAre(named_row{{"n", 3.0f}, {"s=c", 1.0f}}, named_row{{"n", 4.0f}, {"s=b", 1.0f}},
                          named_row{{"n", 5.0f}, {"s=a", 1.0f}}));
}

/// Line ends in fields, where blocks of the text end.
TEST_F(tables, a_block_ends_with_a_record) {
  std::string text = "y,s\n";
  const std::string field = "\"" + std::string(300, 'x') + "\n,\"\"\n" + std::string(300, 'y') + "\"";
  constexpr std::size_t records = 6000;
  for (std::size_t k = 0; k < records; ++k) text += std::to_string(k % 2) + "," + field + "\n";
  const table found = read(text, {.label = "y"});
  EXPECT_EQ(found.rows.rows(), records);
  EXPECT_EQ(found.schema->values[1].size(), 1u);
}

TEST_F(tables, a_cache_holds_rows_and_schema) {
  const std::string text = "y,s,n\nyes,a,1\nno,b,2\nyes,,3\n";
  const open_options cached{.note = [](std::string_view sentence) { ADD_FAILURE() << sentence; }};
  const table first = read(text, {.label = "y"}, cached);
  const table second = open_table((folder_.path() / "t.csv").string(), {.label = "y", .scaled = false}, cached);
  EXPECT_FALSE(first.rows.from_cache());
  EXPECT_TRUE(second.rows.from_cache());
  EXPECT_EQ(*first.schema, *second.schema);
  EXPECT_EQ(named_rows(first.rows, *first.schema), named_rows(second.rows, *second.schema));
}

TEST_F(tables, another_file_is_read_by_the_schema) {
  const table known = read("y,s,n\nyes,a,1\nno,b,2\n", {.label = "y"});
  const column_numbering& numbering = known.rows.numbering();
  open_options through = uncached;
  through.numbering = &numbering, through.labels_optional = true;
  const std::string path = folder_.write("u.csv", "more,n,s\n7,5,b\n8,,z\n9,0,a\n");
  const sparse_dataset other = open_table(path, *known.schema, through);
  EXPECT_THAT(named_rows(other, *known.schema),
              ElementsAre(named_row{{"n", 5.0f}, {"s=b", 1.0f}}, named_row{}, named_row{{"s=a", 1.0f}}));
  EXPECT_EQ(other.unknown_entries(), 2u);
  through.labels_optional = false;
  EXPECT_THAT(labels_of(open_table(folder_.write("v.csv", "n,s,y\n1,a,no\n2,b,yes\n"), *known.schema, through)),
              ElementsAre(0.0, 1.0));
  const auto refused = [&](const std::string& text) {
    const std::string file = folder_.write("w.csv", text);
    return test::message_of<input_error>([&] { open_table(file, *known.schema, through); });
  };
  EXPECT_THAT(refused("y,n\nyes,1\n"), HasSubstr("no column 's'"));
  EXPECT_THAT(refused("y,s,n\nmaybe,a,1\n"), HasSubstr("w.csv:2:1: the label 'maybe' is none"));
  EXPECT_THAT(refused("y,s,n\nno,a,1e38\nno,a,2e99\n"), HasSubstr("w.csv:3:6: '2e99' is not finite"));
  EXPECT_THAT(refused("y\ts\tn\nno\ta\t1\n"), HasSubstr("the fields of this file are separated by tabs"));
  EXPECT_THAT(refused("s,n\na,1\n"), HasSubstr("no column 'y', which has the labels"));
  EXPECT_THAT(refused("y,s,n,n\nyes,a,1,1\n"), HasSubstr("twice"));
}

TEST_F(tables, without_a_header_only_the_label_may_lack) {
  const table known = read("1,a,5\n0,b,6\n", {.label = "1"});
  open_options through = uncached;
  through.numbering = &known.rows.numbering(), through.labels_optional = true;
  EXPECT_THAT(named_rows(open_table(folder_.write("u.csv", "b,5\n"), *known.schema, through), *known.schema),
              ElementsAre(named_row{{"2=b", 1.0f}, {"3", 5.0f}}));
  const std::string path = folder_.write("w.csv", "1,b,5,4\n");
  EXPECT_THAT(test::message_of<input_error>([&] { open_table(path, *known.schema, through); }),
              HasSubstr("has 4 columns and no header"));
}

TEST_F(tables, refusals_name_the_place) {
  struct row {
    const char* text;
    const char* said;
  };
  const row all[] = {
      {"y,x\n1,2\n1,2,3\n", ":3:5: the record has 3 fields, but the first one has 2"},
      {"y,x\n1,2\n1\n", ":3:2: the record has 1 fields, but the first one has 2"},
      {"y,x\n1,\"2\n", ":2:3: a quotation mark opens a field here, and none ends it"},
      {"y,x\n1,\"2\"3\n", ":2:6: the field is quoted, and something follows"},
      {"y,x\n1,2\"\n", ":2:4: a quotation mark stands within a field"},
      {"y,x\n1,\"a\nb\"\n2,\"c\n\"d\n", ":5:2: the field is quoted, and something follows"},
      {"y,x\n,2\n", ":2:1: the label is missing"},
      {"y,x\n1,2\ninf,2\n", ":3:1: the label 'inf' is not"},
      {"y,y\n1,2\n", ":1:1: the header has the name 'y' twice"},
      {"", ":1:1: there are no rows"},
      {"y,x\n", ":1:1: there are no rows"},
      {"\n\ny\"z,x\n1,2\n", ":3:2: a quotation mark stands within a field"},
  };
  for (const row& each : all)
    EXPECT_THAT(refusal(each.text, {.label = "y"}), testing::StartsWith(each.said)) << each.text;
  EXPECT_THAT(refusal("y,x\n1,2\n1,z\n", {.label = "y", .numeric = {"x"}}),
              testing::StartsWith(":3:3: 'z' is not a number, but the column 'x' is read as numeric"));
  EXPECT_THAT(refusal("y,x\n1,2\n1,1e99\n", {.label = "y", .numeric = {"x"}}), HasSubstr("not finite"));
}

TEST_F(tables, a_request_that_does_not_fit_is_refused) {
  const std::string path = folder_.write("t.csv", "y,x,x2\n1,2,3\n");
  const auto refused = [&](const table_request& how) {
    return test::message_of<config_error>([&] { open_table(path, how, uncached); });
  };
  EXPECT_THAT(refused({.label = "z"}), HasSubstr("no column 'z'; it has y, x, x2"));
  EXPECT_THAT(refused({.label = "x*"}), HasSubstr("fits several columns"));
  EXPECT_THAT(refused({.label = "y", .numeric = {"x"}, .categorical = {"x"}}),
              HasSubstr("as numeric and as categorical"));
  EXPECT_THAT(refused({.label = "y", .hash_bits = 40}), HasSubstr("--hash-bits 40"));
  EXPECT_THAT(refused({.label = "y", .separator = ':'}), HasSubstr("separator"));
}

TEST_F(tables, values_and_labels_with_names_are_short) {
  const std::string longer(20'000, 'v');
  EXPECT_THAT(refusal("y,s\n1," + longer + "\n", {.label = "y"}), HasSubstr(":2:3: the value has 20000 bytes"));
  EXPECT_THAT(refusal("y,s\n" + longer + ",1\n", {.label = "y"}), HasSubstr(":2:1: the label has 20000 bytes"));
  EXPECT_EQ(read("y,s\n1," + longer + "\n", {.label = "y", .hash_bits = 8}).rows.rows(), 1u);
}

TEST_F(tables, a_number_too_large_for_its_divisor_is_refused) {
  const table known = open_table(folder_.write("t.csv", "y,n\n1,1e-20\n0,2e-20\n"), {.label = "y"}, uncached);
  open_options through = uncached;
  through.numbering = &known.rows.numbering();
  const std::string path = folder_.write("u.csv", "y,n\n1,3e38\n");
  EXPECT_THAT(test::message_of<input_error>([&] { open_table(path, *known.schema, through); }),
              HasSubstr("u.csv:2:3: '3e38' is too large beside the numbers"));
}

TEST_F(tables, a_header_is_read_as_in_training) {
  const table known = read("\n\n,y,c\n0,1,a\n1,0,b\n", {.label = "y"});
  EXPECT_EQ(known.schema->columns[0].name, "1");
  open_options through = uncached;
  through.numbering = &known.rows.numbering(), through.labels_optional = true;
  EXPECT_THAT(named_rows(open_table(folder_.write("u.csv", ",y,c\n7,?,b\n"), *known.schema, through), *known.schema),
              ElementsAre(named_row{{"1", 7.0f}, {"c=b", 1.0f}}));
  EXPECT_THAT(read("\n\ny,c\n1,a\n0,b\n", {.label = "y"}).schema->labels, IsEmpty());
  const table one = read("y,c\n1,a\n0,b\n", {.label = "y"});
  through.numbering = &one.rows.numbering();
  EXPECT_EQ(open_table(folder_.write("v.csv", "\nc\na\nb\n"), *one.schema, through).rows(), 2u);
  EXPECT_THAT(rows("y,2019,2020\n1,5,6\n", {.label = "y"}), ElementsAre(named_row{{"2019", 5.0f}, {"2020", 6.0f}}));
}

TEST(table_parser, takes_room_for_fields_that_are_there) {
  table_schema schema;
  schema.columns.resize(1000);
  detail::table_findings found;
  const detail::table_parser parser(schema, {.places = std::vector<std::size_t>(1000)}, true, found);
  EXPECT_EQ(parser.capacity(std::string(500, '\n')), 0u);
  EXPECT_EQ(parser.capacity("a,b,c\nd\n"), 0u);
  EXPECT_EQ(parser.capacity(std::string(5000, ',') + "\n"), 1000u);
  EXPECT_EQ(parser.capacity(std::string(999, ',') + "\n" + std::string(999, ',') + "\n"), 2000u);
}

/// A file that is cut anywhere is refused, or its rows are the first ones of the whole file, but perhaps for the last.
TEST_F(tables, a_cut_file_never_shifts_a_column) {
  std::string text = "y,a,b,c\n";
  for (int k = 0; k < 40; ++k)
    text += std::to_string(k % 2) + ",\"q" + std::to_string(k % 3) + "\n,\"\"\",w" + std::to_string(k % 5) + "," +
            std::to_string(k) + ".5\r\n";
  const table_request how{.label = "y", .numeric = {"c"}, .categorical = {"a", "b"}, .header = true};
  const std::vector<named_row> whole = rows(text, how);
  std::size_t read = 0;
  for (std::size_t size = 0; size < text.size(); ++size) {
    std::vector<named_row> part;
    try {
      part = rows(text.substr(0, size), how);
    } catch (const error&) {
      continue;
    }
    ++read;
    ASSERT_LE(part.size(), whole.size());
    for (std::size_t r = 0; r + 1 < part.size(); ++r) ASSERT_EQ(part[r], whole[r]) << size;
  }
  EXPECT_GT(read, 40u);
}

TEST_F(tables, a_schema_is_the_same_after_reading_it_back) {
  const table found = read("y z,\"a=b\\\",n\nyes sir,\"q\n\",1\nno,r,2\n", {.label = "y z"});
  const std::string text = detail::schema_text(*found.schema);
  table_schema back = detail::parse_schema(text, "here");
  EXPECT_EQ(detail::schema_text(back), text);
  std::vector<std::uint32_t> numbers;
  std::vector<std::string> names;
  for (std::size_t position = 0; position < found.rows.features(); ++position) {
    numbers.push_back(found.rows.original(position));
    names.push_back(found.schema->name_of_input(numbers.back()));
  }
  EXPECT_THAT(names, testing::Contains("a\\=b\\\\=q\\x0a"));
  detail::take_values(back, numbers, names, "here");
  EXPECT_EQ(back, *found.schema);
  EXPECT_EQ(detail::parse_schema_bytes(detail::schema_bytes(*found.schema), "here"), *found.schema);
  for (const char* const spoilt :
       {"", "chair", "table comma header quoted 0 22\nrow a\n", "table comma header quoted 0 22\n",
        "table comma header quoted 99 22\ncolumn numeric a\n", "table dot header quoted 0 22\n",
        "table comma header quoted 0 22\ncolumn round a\n"})
    EXPECT_THROW(detail::parse_schema(spoilt, "here"), input_error) << spoilt;
}

TEST_F(tables, a_look_tells_what_the_columns_are) {
  const table_look look = look_at_table(folder_.write("t.csv", "y,n,s\n1,3,a\n0,NA,b\n1,-4,a\n"), {.label = "y"});
  EXPECT_EQ(look.rows, 3u);
  EXPECT_THAT(look.schema.columns,
              ElementsAre(table_column{"y", table_kind::label}, table_column{"n", table_kind::numeric},
                          table_column{"s", table_kind::categorical}));
  EXPECT_THAT(look.distinct, ElementsAre(2, 3, 2));
  EXPECT_THAT(look.missing, ElementsAre(0, 1, 0));
  EXPECT_THAT(look.least, ElementsAre("0", "-4", ""));
  EXPECT_THAT(look.most, ElementsAre("1", "3", ""));
}

}  // namespace
}  // namespace hogwild
