// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/tables.hpp>

#include "formats/table_schema.hpp"
#include "support/refusals.hpp"
#include "support/scratch_folder.hpp"
#include "table_rows.hpp"

namespace hogwild {
namespace {

using testing::ElementsAre;
using testing::FloatEq;
using testing::HasSubstr;
using testing::Pair;
using testing::UnorderedElementsAre;
using namespace test;

class table_kinds : public testing::Test {
 protected:
  table read(const std::string& text, const table_request& how, const open_options& options = uncached) {
    return open_table(folder_.write("t.csv", text), how, options);
  }
  std::vector<named_row> rows(const std::string& text, table_request how) {
    how.label = "y", how.scaled = false;
    const table found = read(text, how);
    return named_rows(found.rows, *found.schema);
  }
  std::string refusal(const std::string& text, table_request how) {
    how.label = "y";
    const std::string path = folder_.write("t.csv", text);
    const std::string said = message_of<error>([&] { open_table(path, how, uncached); });
    const std::size_t at = said.find(path);
    return at == said.npos ? said : said.substr(at + path.size());
  }
  scratch_folder folder_{};
};

const float half = std::sqrt(0.5f);

TEST_F(table_kinds, a_list_has_an_entry_for_each_different_value) {
  EXPECT_THAT(rows("y,tags\n1,a|b\n0, b | b |\n1,\n0,c\n", {.lists = {"tags"}}),
              ElementsAre(UnorderedElementsAre(Pair("tags=a", FloatEq(half)), Pair("tags=b", FloatEq(half))),
                          UnorderedElementsAre(Pair("tags=b", 1.0f)), testing::IsEmpty(),
                          UnorderedElementsAre(Pair("tags=c", 1.0f))));
  EXPECT_THAT(rows("y|tags\n1|a,b\n", {.lists = {"tags"}, .separator = '|'}),
              ElementsAre(UnorderedElementsAre(Pair("tags=a", FloatEq(half)), Pair("tags=b", FloatEq(half)))));
}

TEST_F(table_kinds, a_text_has_an_entry_for_each_different_word) {
  EXPECT_THAT(rows("y,t\n1,\"The cat, the DOG\"\n0,...\n1,na\xc3\xafve 42\n", {.texts = {"t"}}),
              ElementsAre(UnorderedElementsAre(Pair("t=the", FloatEq(2 / std::sqrt(6.0f))),
                                               Pair("t=cat", FloatEq(1 / std::sqrt(6.0f))),
                                               Pair("t=dog", FloatEq(1 / std::sqrt(6.0f)))),
                          testing::IsEmpty(),
                          UnorderedElementsAre(Pair("t=na\xc3\xafve", FloatEq(half)), Pair("t=42", FloatEq(half)))));
  EXPECT_THAT(
      rows("y,t\n1,a b c\n", {.texts = {"t"}, .word_ngrams = 2}),
      ElementsAre(UnorderedElementsAre(Pair("t=a", testing::_), Pair("t=b", testing::_), Pair("t=c", testing::_),
                                       Pair("t=a b", testing::_), Pair("t=b c", testing::_))));
}

/// Where several words have one column, their entries add up.
TEST_F(table_kinds, texts_by_hash_have_the_same_words) {
  std::string text = "y,t\n";
  for (int k = 0; k < 300; ++k) text += "1,w" + std::to_string(k) + " common w" + std::to_string(k / 2) + "\n";
  const auto by_name = rows(text, {.texts = {"t"}}), by_hash = rows(text, {.texts = {"t"}, .hash_bits = 22});
  for (std::size_t r = 0; r < by_name.size(); ++r) EXPECT_EQ(by_name[r].size(), by_hash[r].size());
  const auto sum = [](const named_row& row) {
    float all = 0.0f;
    for (const auto& [name, value] : row) all += value;
    return all;
  };
  const auto in_few = rows(text, {.texts = {"t"}, .hash_bits = 8});
  std::size_t united = 0;
  for (std::size_t r = 0; r < by_name.size(); ++r) {
    EXPECT_NEAR(sum(in_few[r]), sum(by_name[r]), 1e-6f);
    united += in_few[r].size() < by_name[r].size() ? 1 : 0;
  }
  EXPECT_GT(united, 0u);
}

TEST_F(table_kinds, a_date_has_entries_for_its_parts) {
  const auto found =
      rows("y,d\n1,2026-11-30\n0,2026-11-30T13:45:59.25+01:00\n1,2026/02/28 00:10\n0,20240229\n1,0000000000\n0,\n",
           {.dates = {"d"}});
  const named_row day{{"d=year:2026", 1.0f}, {"d=month:11", 1.0f}, {"d=weekday:mon", 1.0f}};
  named_row with_hour = day;
  with_hour["d=hour:13"] = 1.0f;
  EXPECT_EQ(found[0], day);
  EXPECT_EQ(found[1], with_hour);
  EXPECT_EQ(found[2],
            (named_row{{"d=year:2026", 1.0f}, {"d=month:2", 1.0f}, {"d=weekday:sat", 1.0f}, {"d=hour:0", 1.0f}}));
  EXPECT_EQ(found[3], (named_row{{"d=year:2024", 1.0f}, {"d=month:2", 1.0f}, {"d=weekday:thu", 1.0f}}));
  EXPECT_EQ(found[4],
            (named_row{{"d=year:1970", 1.0f}, {"d=month:1", 1.0f}, {"d=weekday:thu", 1.0f}, {"d=hour:0", 1.0f}}));
  EXPECT_EQ(found[5], (named_row{{"d=missing", 1.0f}}));
  for (const std::string wrong : {"2026-02-30", "2026-13-01", "yesterday", "2026-11-30 25:00", "2026-11-30T1:00",
                                  "2026-11/30", "2026-11-30x", "12", "2026-11-30 13:45 nonsense"})
    EXPECT_THAT(refusal("y,d\n1," + wrong + "\n", {.dates = {"d"}}), HasSubstr(":2:3: ")) << wrong;
}

TEST_F(table_kinds, a_weight_is_that_of_its_row) {
  std::string text = "y,w,n\n";
  for (int k = 0; k < 1000; ++k) text += "1," + std::to_string(k % 7) + ".5," + std::to_string(k + 1) + "\n";
  const std::string path = folder_.write("w.csv", text);
  const auto has_weights = [](const sparse_dataset& data) {
    const sparse_view view = data.view();
    ASSERT_EQ(view.weight.size(), 1000u);
    row_cursor cursor(view);
    for (std::size_t r = 0; r < view.rows(); ++r)
      for (auto [j, x] : cursor.row(r))
        EXPECT_EQ(view.weight[r], static_cast<float>((static_cast<int>(x) - 1) % 7) + 0.5f);
  };
  const table_request how{.label = "y", .weight = "w", .scaled = false};
  const table parsed = open_table(path, how), cached = open_table(path, how);
  EXPECT_TRUE(cached.rows.from_cache());
  has_weights(parsed.rows), has_weights(cached.rows);
  open_options through = uncached;
  through.numbering = &parsed.rows.numbering();
  has_weights(open_table(path, *parsed.schema, through));
  const std::string without = folder_.write("u.csv", "y,n\n1,2\n");
  EXPECT_THAT(message_of<input_error>([&] { open_table(without, *parsed.schema, through); }),
              HasSubstr("no column 'w', which the model reads as weight"));
  through.labels_optional = true;
  EXPECT_TRUE(open_table(without, *parsed.schema, through).view().weight.empty());
  for (const std::string wrong : {"-1", "x", "", "inf"})
    EXPECT_THAT(refusal("y,w,n\n1," + wrong + ",2\n", {.weight = "w"}), HasSubstr(":2:3: the weight")) << wrong;
  EXPECT_THAT(refusal("y,w,n\n1,0,2\n", {.weight = "w"}), HasSubstr("all weights are 0"));
  EXPECT_THAT(refusal("y,w,wn\n1,0,2\n", {.weight = "w*"}), HasSubstr("fits several columns"));
  EXPECT_THAT(refusal("y,w,wn\n1,0,2\n", {.weight = "q*"}), HasSubstr("fits no column"));
}

/// The names of the rows' groups, in the order of the text.
std::vector<std::string> groups_of(sparse_dataset data) {
  data.number_rows();
  const sparse_view view = data.view();
  std::vector<std::string> groups(view.rows());
  for (std::size_t r = 0; r < view.group.size(); ++r) groups[view.id_of(r)] = data.group_names()[view.group[r]];
  return groups;
}

TEST_F(table_kinds, a_group_is_that_of_its_row_and_makes_entries_only_if_it_is_named) {
  std::string text = "y,user,n\n";
  std::vector<std::string> users;
  for (int r = 0; r < 1000; ++r) {
    const std::string number = std::to_string(r * 7 % 300);
    users.push_back(r % 100 == 7 ? "" : "u \"" + number);
    text += std::to_string(r % 2) + (users.back().empty() ? ",," : ",\"u \"\"" + number + "\",") +
            std::to_string(r + 1) + "\n";
  }
  const std::string path = folder_.write("t.csv", text);
  const table_request how{.label = "y", .group = "user", .scaled = false};
  for (int pass = 0; pass < 2; ++pass) {
    const table read = open_table(path, how);
    EXPECT_EQ(read.rows.from_cache(), pass == 1);
    EXPECT_EQ(groups_of(read.rows), users);
    EXPECT_EQ(read.rows.features(), 1u);
    EXPECT_EQ(read.schema->group, "user");
  }
  table_request named = how;
  named.categorical = {"user"};
  const table both = open_table(path, named, uncached);
  EXPECT_EQ(groups_of(both.rows), users);
  EXPECT_GT(both.rows.features(), 200u);
  EXPECT_THAT(refusal("y,n\n1,2\n", {.group = "user"}), HasSubstr("no column 'user'"));
}

TEST_F(table_kinds, a_group_is_found_by_its_name_in_other_files) {
  const table trained = read("y,user,n\n1,a,2\n0,b,3\n", {.label = "y", .group = "user", .scaled = false});
  const auto through = [&](const std::string& text, bool predicts) {
    return groups_of(open_table(
        folder_.write("o.csv", text), *trained.schema,
        {.cache = open_options::cache_use::none, .numbering = &trained.rows.numbering(), .labels_optional = predicts}));
  };
  EXPECT_THAT(through("n,y,user\n1,0,c\n4,1,a\n5,1,c\n", false), ElementsAre("c", "a", "c"));
  EXPECT_THAT(through("n\n1\n4\n", true), ElementsAre("", ""));
  EXPECT_THAT(message_of<input_error>([&] { through("n,y\n1,0\n", false); }), HasSubstr("no column 'user', which has"));
  table_schema other = *trained.schema;
  other.group = "site";
  const sparse_dataset by_site =
      open_table(folder_.write("s.csv", "site,n,user,y\nx,1,a,0\n"), other,
                 {.cache = open_options::cache_use::none, .numbering = &trained.rows.numbering()});
  EXPECT_THAT(groups_of(by_site), ElementsAre("x"));
  EXPECT_EQ(detail::parse_schema(detail::schema_text(other), "m").group, "site");
}

TEST_F(table_kinds, without_a_header_a_group_is_called_by_its_number) {
  EXPECT_THAT(groups_of(read("1,7,2\n0,8,3\n1,7,4\n", {.label = "1", .group = "2"}).rows), ElementsAre("7", "8", "7"));
}

TEST_F(table_kinds, groups_of_libsvm_text_are_query_numbers) {
  std::string text;
  std::vector<std::string> queries;
  for (int r = 0; r < 3000; ++r) {
    queries.push_back(std::to_string(r / 7));
    text += std::to_string(r % 3) + " qid:" + queries.back() + " 1:0.5 " + std::to_string(r % 50 + 2) + ":1\n";
  }
  const std::string path = folder_.write("t.svm", text);
  EXPECT_EQ(groups_of(open_libsvm(path, uncached)), queries);
  std::vector<std::string> notes;
  const sparse_dataset mixed = open_libsvm(
      folder_.write("m.svm", "1 1:1\n0 qid:4 1:2\n1 1:3\n"),
      {.cache = open_options::cache_use::none, .note = [&](std::string_view note) { notes.emplace_back(note); }});
  EXPECT_THAT(groups_of(mixed), ElementsAre("", "4", ""));
  EXPECT_THAT(notes, ElementsAre(HasSubstr("rows without one")));
}

TEST_F(table_kinds, without_a_header_label_and_weight_lack_together) {
  const table trained = read("1,2,3,4\n0,5,6,7\n", {.label = "1", .weight = "4", .scaled = false});
  open_options options = uncached;
  options.numbering = &trained.rows.numbering();
  options.labels_optional = true;
  const auto rows_of = [&](const std::string& text) {
    return named_rows(open_table(folder_.write("u.csv", text), *trained.schema, options), *trained.schema);
  };
  const named_row expected{{"2", 2.0f}, {"3", 3.0f}};
  EXPECT_THAT(rows_of("2,3\n"), ElementsAre(expected));
  EXPECT_THAT(rows_of("1,2,3,x\n"), ElementsAre(expected));
  EXPECT_THAT(message_of<input_error>([&] { rows_of("1,2,3\n"); }), HasSubstr("has 3 columns and no header"));
}

TEST_F(table_kinds, rare_values_have_one_column) {
  const std::string text = "y,c,l\n1,a,p|q\n0,a,p|r\n1,b,p\n0,(c,q|s|t\n";
  const auto found = rows(text, {.categorical = {"c"}, .lists = {"l"}, .min_rows = 2});
  EXPECT_EQ(found[0], (named_row{{"c=a", 1.0f}, {"l=p", half}, {"l=q", half}}));
  EXPECT_EQ(found[1], (named_row{{"c=a", 1.0f}, {"l=p", half}, {"l=(rare)", half}}));
  EXPECT_EQ(found[2], (named_row{{"c=(rare)", 1.0f}, {"l=p", 1.0f}}));
  const float third = 1 / std::sqrt(3.0f);
  EXPECT_THAT(found[3], UnorderedElementsAre(Pair("c=(rare)", 1.0f), Pair("l=q", FloatEq(third)),
                                             Pair("l=(rare)", FloatEq(2 * third))));
  EXPECT_TRUE(rows(text, {.categorical = {"c"}, .ignored = {"l"}})[3].contains("c=\\(c"));
}

TEST_F(table_kinds, values_that_training_did_not_have_are_rare) {
  const table trained = read("y,c,t\n1,a,one two\n0,a,one two\n1,b,two\n",
                             {.label = "y", .categorical = {"c"}, .texts = {"t"}, .min_rows = 2});
  open_options options = uncached;
  options.numbering = &trained.rows.numbering();
  options.labels_optional = true;
  const sparse_dataset later =
      open_table(folder_.write("later.csv", "t,c\none three four,z\n"), *trained.schema, options);
  const float third = 1 / std::sqrt(3.0f);
  // No text of the training data has a rare word, so that its column is not known.
  EXPECT_THAT(named_rows(later, *trained.schema),
              ElementsAre(UnorderedElementsAre(Pair("c=(rare)", 1.0f), Pair("t=one", FloatEq(third)))));
  EXPECT_EQ(later.unknown_entries(), 1u);
}

TEST_F(table_kinds, interactions_combine_columns) {
  const std::string text = "y,site,user,n,t\n1,a,u,3,x y\n0,a,v,,x\n1,b,u,2,\n0,a,u,0,y\n";
  const table_request how{.numeric = {"n"},
                          .categorical = {"site", "user"},
                          .texts = {"t"},
                          .interactions = {"site*user", "site*n", "user*t", "site*user*n"}};
  const auto found = rows(text, how);
  const auto of = [&](std::size_t row, const std::string& column) {
    named_row entries;
    for (const auto& [name, value] : found[row])
      if (name.starts_with(column + "=#")) entries.emplace(name, value);
    return entries;
  };
  EXPECT_EQ(of(0, "site*user"), of(3, "site*user"));
  EXPECT_NE(of(0, "site*user"), of(1, "site*user"));
  EXPECT_NE(of(0, "site*user"), of(2, "site*user"));
  EXPECT_THAT(of(0, "site*n"), ElementsAre(Pair(testing::_, 3.0f)));
  EXPECT_THAT(of(0, "site*user*n"), ElementsAre(Pair(testing::_, 3.0f)));
  EXPECT_THAT(of(1, "site*n"), testing::IsEmpty());
  EXPECT_THAT(of(3, "site*n"), testing::IsEmpty());
  EXPECT_THAT(of(0, "user*t"), ElementsAre(Pair(testing::_, FloatEq(half)), Pair(testing::_, FloatEq(half))));
  EXPECT_THAT(of(2, "user*t"), testing::IsEmpty());
}

/// Numbers are divided after training data, and while further rows are read.
TEST_F(table_kinds, interactions_are_the_same_by_the_schema) {
  const std::string text = "y,site,n,m\n1,a,300,70000\n0,b,500,90000\n1,a,,2\n";
  const table trained = read(text, {.label = "y", .interactions = {"site*n", "n*m"}});
  open_options options = uncached;
  options.numbering = &trained.rows.numbering();
  const sparse_dataset again = open_table(folder_.write("again.csv", text), *trained.schema, options);
  EXPECT_EQ(named_rows(trained.rows, *trained.schema), named_rows(again, *trained.schema));
  EXPECT_EQ(again.unknown_entries(), 0u);
}

TEST_F(table_kinds, interactions_that_make_no_sense_are_refused) {
  const std::string text = "y,a,b,t,s,i\n1,2,x,some text,more,9\n";
  const auto said = [&](const std::string& interaction) {
    return refusal(text, {.texts = {"t", "s"}, .ignored = {"i"}, .interactions = {interaction}});
  };
  EXPECT_THAT(said("a*z"), HasSubstr("there is no column 'z'"));
  EXPECT_THAT(said("a*i"), HasSubstr("is ignored"));
  EXPECT_THAT(said("a*y"), HasSubstr("is label"));
  EXPECT_THAT(said("t*s"), HasSubstr("may be a list or a text"));
  EXPECT_THAT(said("a*a"), HasSubstr("two to four different"));
  EXPECT_THAT(said("a"), HasSubstr("two to four different"));
  for (const std::string numbers : {"2e30,3e30", "2e-30,3e-30"})
    EXPECT_THAT(refusal("y,a,b\n1,1,1\n1," + numbers + "\n", {.interactions = {"a*b"}}),
                HasSubstr(":3:1: the numbers of the interaction 'a*b' have a product that single precision"));
  EXPECT_THAT(refusal("y,a,b\n1,2,3\n", {.interactions = {"a*b", "b * a"}}), HasSubstr("combined twice"));
  EXPECT_THAT(refusal("y,a,b,a*b\n1,2,3,4\n", {.interactions = {"a*b"}}), HasSubstr("has the name of a column"));
  EXPECT_EQ(rows("y,a,b\n1,2,3\n", {.interactions = {" a * b "}})[0].size(), 3u);
}

TEST_F(table_kinds, rows_do_not_depend_on_threads_blocks_or_memory) {
  std::string text = "y,c,t,l,d,n\n";
  for (int k = 0; k < 60'000; ++k) {
    const auto word = [k](int prime, int most) { return "w" + std::to_string(k * 1LL * prime % most); };
    text += std::to_string(k % 2) + "," + word(7919, 4001) + "," + word(104729, 5003) + " " + word(31, 17) + " same," +
            word(65537, 9001) + "|" + word(13, 5) + ",2026-0" + std::to_string(1 + k % 9) + "-11," +
            std::to_string(k % 1000) + "\n";
  }
  const std::string path = folder_.write("big.csv", text);
  const table_request how{
      .label = "y", .lists = {"l"}, .texts = {"t"}, .dates = {"d"}, .interactions = {"c*l", "d*n"}, .min_rows = 10};
  expect_same_however_read(path, how, folder_.path(), [](const table& found, const table& expected) {
    EXPECT_EQ(labels_of(found.rows), labels_of(expected.rows));
  });
}

TEST_F(table_kinds, a_schema_of_all_kinds_is_the_same_after_reading_it_back) {
  const table trained =
      read("y,c,t,l,d,n,i\nyes,a,\"(x) b\",p|(q,2026-11-30,4,z\nno,a,\"(x) b\",p|(q,,5,z\n", {.label = "y",
                                                                                              .lists = {"l"},
                                                                                              .texts = {"t"},
                                                                                              .dates = {"d"},
                                                                                              .ignored = {"i"},
                                                                                              .interactions = {"c*n"},
                                                                                              .min_rows = 2,
                                                                                              .word_ngrams = 2});
  EXPECT_EQ(detail::parse_schema_bytes(detail::schema_bytes(*trained.schema), "m"), *trained.schema);
  table_schema named = detail::parse_schema(detail::schema_text(*trained.schema), "m");
  std::vector<std::string> names;
  const auto numbers = trained.rows.numbering().original();
  for (const std::uint32_t number : numbers) names.push_back(trained.schema->name_of_input(number));
  detail::take_values(named, numbers, names, "m");
  EXPECT_EQ(named, *trained.schema);
  EXPECT_THAT(message_of<input_error>(
                  [] { detail::parse_schema("table comma header quoted 0 22\ncolumn interaction a*b\n", "m"); }),
              HasSubstr("there is no column 'a'"));
}

}  // namespace
}  // namespace hogwild
