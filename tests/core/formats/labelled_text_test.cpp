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
using testing::IsSupersetOf;
using testing::Pair;
using testing::UnorderedElementsAre;
using namespace test;

class labelled_text : public testing::Test {
 protected:
  table_request request() const { return {.text = named_text::labelled_text}; }
  table read(const std::string& text, const table_request& how, const open_options& options = uncached) {
    return open_table(folder_.write("t.txt", text), how, options);
  }
  std::vector<named_row> rows(const std::string& text, const table_request& how) {
    const table found = read(text, how);
    return named_rows(found.rows, *found.schema);
  }
  std::string refusal(const std::string& text, const table_request& how) {
    return message_of<error>([&] { read(text, how); });
  }
  scratch_folder folder_{};
};

/// The classes of each row, in the order of the file, as words.
std::vector<std::vector<std::string>> classes_of(const table& from) {
  sparse_dataset data = from.rows;
  data.number_rows();
  const sparse_view view = data.view();
  std::vector<std::vector<std::string>> all(view.rows());
  for (std::size_t r = 0; r < view.rows(); ++r) {
    auto& row = all[view.id.empty() ? r : view.id[r]];
    const auto word = [&](double label) { return from.schema->labels[static_cast<std::size_t>(label)]; };
    if (!view.label.lists())
      row.push_back(word(view.label[r]));
    else
      for (const std::uint32_t code : view.label.list(r)) row.push_back(word(view.label.table()[code]));
  }
  return all;
}

TEST_F(labelled_text, a_line_has_labels_and_words) {
  const std::string text = "__label__spam cheap pills cheap\nhello __label__ham\tworld\r\n\n__label__ham hello\n";
  EXPECT_THAT(rows(text, request()), ElementsAre(UnorderedElementsAre(Pair("word=cheap", FloatEq(2 / std::sqrt(5.0f))),
                                                                      Pair("word=pills", FloatEq(1 / std::sqrt(5.0f)))),
                                                 UnorderedElementsAre(Pair("word=hello", FloatEq(std::sqrt(0.5f))),
                                                                      Pair("word=world", FloatEq(std::sqrt(0.5f)))),
                                                 UnorderedElementsAre(Pair("word=hello", 1.0f))));
  const table found = read(text, request());
  EXPECT_THAT(found.schema->labels, ElementsAre("ham", "spam"));
  EXPECT_EQ(describe(*found.schema), "labelled text");
  EXPECT_EQ(classes_of(found), (std::vector<std::vector<std::string>>{{"spam"}, {"ham"}, {"ham"}}));
}

TEST_F(labelled_text, a_line_may_have_several_labels) {
  const table found =
      read("__label__z __label__a x\n__label__m y\n__label__a __label__m __label__a z\nno labels\n", request());
  EXPECT_EQ(classes_of(found), (std::vector<std::vector<std::string>>{{"a", "z"}, {"m"}, {"a", "m"}, {}}));
}

/// The numbers are those of fastText's own get_subwords() with 1,024 buckets, and of its formula for runs.
TEST_F(labelled_text, runs_and_parts_of_words_have_fasttexts_columns) {
  table_request how = request();
  how.word_ngrams = 3, how.least_characters = 3, how.most_characters = 4, how.hash_bits = 10;
  std::vector<std::string> names;
  const std::vector<named_row> all = rows("__label__a the cat na\xc3\xafve\n", how);
  for (const auto& [name, value] : all[0]) names.push_back(name);
  std::vector<std::string> expected;
  for (const int run : {507, 808, 740}) expected.push_back("ngram=#" + std::to_string(run));
  for (const int part : {303, 894, 540, 902, 792, 907, 621, 7, 443, 386, 682, 1004, 274, 108, 992, 607, 722, 388, 910})
    expected.push_back("subword=#" + std::to_string(part));
  EXPECT_THAT(names, IsSupersetOf(expected));
  EXPECT_EQ(names.size(), expected.size() + 3);
}

TEST_F(labelled_text, the_squares_of_a_row_add_up_to_1) {
  table_request how = request();
  how.word_ngrams = 2, how.least_characters = 2, how.most_characters = 3;
  for (const named_row& row : rows("__label__a one two two three one\n__label__b four\n", how)) {
    double squares = 0.0;
    for (const auto& [name, value] : row) squares += static_cast<double>(value) * value;
    EXPECT_NEAR(squares, 1.0, 1e-6);
  }
}

TEST_F(labelled_text, rare_words_have_one_column) {
  table_request how = request();
  how.min_rows = 2;
  const table trained = read("__label__a one two\n__label__b one three\n__label__a one four five\n", how);
  EXPECT_THAT(named_rows(trained.rows, *trained.schema)[2],
              UnorderedElementsAre(Pair("word=one", FloatEq(1 / std::sqrt(3.0f))),
                                   Pair("word=(rare)", FloatEq(2 / std::sqrt(3.0f)))));
  open_options options = uncached;
  options.numbering = &trained.rows.numbering();
  const sparse_dataset later =
      open_table(folder_.write("later.txt", "__label__b one seven eight\n"), *trained.schema, options);
  EXPECT_THAT(named_rows(later, *trained.schema)[0],
              UnorderedElementsAre(Pair("word=one", FloatEq(1 / std::sqrt(3.0f))),
                                   Pair("word=(rare)", FloatEq(2 / std::sqrt(3.0f)))));
}

TEST_F(labelled_text, rows_do_not_depend_on_threads_or_memory) {
  std::string text;
  for (int k = 0; k < 60'000; ++k) {
    text += "__label__c" + std::to_string(k * 31 % 17);
    // In the second half of a block rows have one label each.
    if (k % 3 == 0 && k < 20'000) text += " __label__c" + std::to_string(k * 7 % 13);
    for (int w = 0; w < 10; ++w) text += " w" + std::to_string((k * 7919LL + w * 104729LL) % 5003);
    text += "\n";
  }
  const std::string path = folder_.write("big.txt", text);
  table_request how = request();
  how.word_ngrams = 2;
  expect_same_however_read(path, how, folder_.path(), [](const table& found, const table& expected) {
    EXPECT_EQ(classes_of(found), classes_of(expected));
  });
}

TEST_F(labelled_text, another_file_is_read_by_the_schema) {
  const table trained = read("__label__a x y\n__label__b z\n", request());
  open_options options = uncached;
  options.numbering = &trained.rows.numbering();
  const std::string path = folder_.write("later.txt", "__label__b x\n__label__c z w\n");
  EXPECT_THAT(message_of<input_error>([&] { open_table(path, *trained.schema, options); }),
              HasSubstr(":2:1: the label 'c' is none of the model's"));
  options.labels_optional = true;
  EXPECT_EQ(open_table(path, *trained.schema, options).unknown_entries(), 1u);
  EXPECT_EQ(detail::parse_schema_bytes(detail::schema_bytes(*trained.schema), "m"), *trained.schema);
  table_schema without = *trained.schema;
  without.labels.clear();
  EXPECT_THAT(message_of<input_error>([&] { detail::parse_schema(detail::schema_text(without), "m"); }),
              HasSubstr("m: its schema has no labels"));
}

TEST_F(labelled_text, unknown_labels_are_left_out_of_rows_that_have_others) {
  const table trained = read("__label__a __label__b x\n__label__c z\n", request());
  std::string told;
  open_options options;
  options.numbering = &trained.rows.numbering();
  options.note = [&](std::string_view note) { told += note; };
  const std::string path = folder_.write("later.txt", "__label__d __label__b x __label__e __label__c\n__label__a x\n");
  for (const char* const from : {"the text", "its cache"}) {
    told.clear();
    const sparse_dataset later = open_table(path, *trained.schema, options);
    EXPECT_THAT(classes_of({later, trained.schema}), ElementsAre(ElementsAre("b", "c"), ElementsAre("a"))) << from;
    EXPECT_THAT(told, HasSubstr(path + ": 2 labels are none of the model's")) << from;
  }
  folder_.write("later.txt", "__label__b x __label__e\n");
  (void)open_table(path, *trained.schema, options);
  EXPECT_THAT(told, HasSubstr("1 label is none of the model's"));
}

TEST_F(labelled_text, refusals_name_the_place) {
  EXPECT_THAT(refusal("__label__a x\n__label__ y\n", request()), HasSubstr(":2:1: '__label__' has no label"));
  EXPECT_THAT(refusal("__label__a x\n y\n", request()), HasSubstr(":2:1: the line has no '__label__'"));
  EXPECT_THAT(refusal("__label__a " + std::string(20'000, 'x') + "\n", request()),
              HasSubstr(":1:12: the word has 20000"));
  EXPECT_THAT(refusal("1 1:2\n", request()), HasSubstr("this is LIBSVM text"));
  table_request how = request();
  how.least_characters = 4, how.most_characters = 3;
  EXPECT_THAT(refusal("__label__a x\n", how), HasSubstr("--char-ngrams 4: it should be 1 to 3"));
}

}  // namespace
}  // namespace hogwild
