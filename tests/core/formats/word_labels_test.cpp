// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/data/label_spelling.hpp>
#include <hogwild/detail/formats/libsvm.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/libffm.hpp>
#include <hogwild/formats/matrix_market.hpp>

#include "support/refusals.hpp"
#include "support/scratch_folder.hpp"
#include "table_rows.hpp"

namespace hogwild {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using namespace test;

const open_options silent{.cache = open_options::cache_use::none, .note = [](std::string_view) {}};

using word_lists = std::vector<std::vector<std::string>>;

/// The words of each row, in the order of the file.
word_lists words_in(sparse_dataset data) {
  data.number_rows();
  const sparse_view view = data.view();
  const auto word = [&](double label) { return data.label_words()[static_cast<std::size_t>(label)]; };
  word_lists all(view.rows());
  for (std::size_t r = 0; r < view.rows(); ++r) {
    auto& row = all[view.id.empty() ? r : view.id[r]];
    if (!view.label.lists())
      row.push_back(word(view.label[r]));
    else
      for (const std::uint32_t code : view.label.list(r)) row.push_back(word(view.label.table()[code]));
  }
  return all;
}

class word_labels_of_text : public testing::Test {
 protected:
  sparse_dataset open(const std::string& text, const open_options& options = silent) {
    return open_libsvm(folder.write("w.svm", text), options);
  }
  std::vector<std::string> words_of(const std::string& text) {
    const sparse_dataset data = open(text);
    return {data.label_words().begin(), data.label_words().end()};
  }
  scratch_folder folder{};
};

TEST_F(word_labels_of_text, have_numbers_in_the_order_of_their_bytes) {
  const std::string text =
      "spam 1:1 3:2\n# a comment\nham 2:1\r\n\n\tspam\n2nd qid:7 1:1\nnan 1:1\n10 1:1 # more\nZ\xc3\xbcrich 4:1\n";
  const sparse_dataset data = open(text);
  EXPECT_THAT(data.label_words(), ElementsAre("10", "2nd", "Z\xc3\xbcrich", "ham", "nan", "spam"));
  EXPECT_EQ(words_in(data), (word_lists{{"spam"}, {"ham"}, {"spam"}, {"2nd"}, {"nan"}, {"10"}, {"Z\xc3\xbcrich"}}));
  EXPECT_EQ(data.nonzeros(), 7u);
  const sparse_dataset ffm = open_libffm(folder.write("w.ffm", "spam 1:1:1\nham 1:2:1 0:0:1\nspam\n"), silent);
  EXPECT_EQ(words_in(ffm), (word_lists{{"spam"}, {"ham"}, {"spam"}}));
}

TEST_F(word_labels_of_text, may_be_several_a_row) {
  EXPECT_EQ(words_in(open("b,a 1:1 2:1\nc 2:1\n 3:1\na,c,b\n")), (word_lists{{"a", "b"}, {"c"}, {}, {"a", "b", "c"}}));
}

TEST_F(word_labels_of_text, are_told_by_the_first_row_alone) {
  std::string told;
  open_options options = silent;
  options.note = [&](std::string_view note) { told += note; };
  EXPECT_THAT(open("1 1:1\n0 2:1\n", options).label_words(), ElementsAre());
  EXPECT_EQ(told, "");
  EXPECT_THAT(open("b 1:1\n1 2:1\n", options).label_words(), ElementsAre("1", "b"));
  EXPECT_THAT(told, HasSubstr("w.svm: labels are words"));
}

TEST_F(word_labels_of_text, stay_in_the_cache) {
  open_options cached;
  cached.note = [](std::string_view) {};
  EXPECT_FALSE(open("b 1:1\na 2:1\n", cached).from_cache());
  const sparse_dataset again = open_libsvm(folder / "w.svm", cached);
  EXPECT_TRUE(again.from_cache());
  EXPECT_EQ(words_in(again), (word_lists{{"b"}, {"a"}}));
  // Known words are a part of its key.
  const std::vector<std::string> known{"b", "c"};
  cached.label_words = known;
  const sparse_dataset other = open_libsvm(folder / "w.svm", cached);
  EXPECT_FALSE(other.from_cache());
  EXPECT_THAT(other.label_words(), ElementsAre("b", "c", "a"));
}

TEST_F(word_labels_of_text, that_a_model_knows_are_read_in_other_files) {
  const sparse_dataset trained = open("b 1:1\na 2:1\n");
  open_options through = silent;
  through.numbering = &trained.numbering();
  through.label_words = trained.label_words();
  EXPECT_EQ(words_in(open("a 1:1\nb\na 2:1\n", through)), (word_lists{{"a"}, {"b"}, {"a"}}));
  for (const faulty_text& bad :
       {faulty_text{"a 1:1\nc 1:1\n", 2, 1, "the label 'c' is none of those of the training data"},
        faulty_text{"0 1:1\n", 1, 1, "the label '0' is none of"}, faulty_text{"a,x 1:1\n", 1, 3, "'x' is none of"}})
    expect_refused(bad, [&] { open(bad.text, through); });
  through.labels_optional = true;
  EXPECT_EQ(labels_of(open("x 1:1\nb 1:1\n2:1\n", through)), (std::vector<double>{0, 1, 0}));
  expect_refused({"a 1:1\nprose\n", 2, 1, "'prose' is none of"}, [&] { open("a 1:1\nprose\n", through); });
  // Without known words labels of other files are numbers.
  through.labels_optional = false, through.label_words = {};
  expect_refused({"a 1:1\n", 1, 1, "the label 'a' is not a number"}, [&] { open("a 1:1\n", through); });
}

/// No text that was refused as numbers, and has no word with an entry at its beginning, is accepted.
TEST_F(word_labels_of_text, are_not_what_is_no_row) {
  const std::string long_word(300, 'x');
  for (const faulty_text& bad :
       {faulty_text{"word\nother\n", 1, 1, "'word' is not a number"},
        faulty_text{"word\nspam 1:1\n", 1, 1, "'word' is not a number"},
        faulty_text{"The quick brown fox\n", 1, 1, "'The' is not a number"},
        faulty_text{"spam x:1\n", 1, 1, "'spam' is not a number"}, faulty_text{"key: 1:1\n", 1, 1, "not with a label"},
        faulty_text{"x:1 1:1\n", 1, 1, "not with a label"},
        faulty_text{"1 1:1\nspam 1:1\n", 2, 1, "'spam' is not a number"},
        faulty_text{"3,x 1:1 2:1\n", 1, 3, "'x' stands in a list"},
        faulty_text{"nan 1:1\nspam 1:1\n", 1, 1, "is not finite"},
        faulty_text{"\x01word 1:1\n", 1, 1, "is not a number"}, faulty_text{long_word + " 1:1\n", 1, 1, "not a number"},
        faulty_text{"spam 1:1\nThe quick fox\n", 2, 5, "'quick' has no ':'"},
        faulty_text{"spam 1:1\n1:1\n", 2, 1, "not with a label"},
        faulty_text{"spam 1:1\nc# 1:1\n", 2, 1, "the label 'c' has a blank"},
        faulty_text{"spam 1:1\na\x02 1:1\n", 2, 1, "has a blank, a control character"},
        faulty_text{"spam 1:1\n" + long_word + " 1:1\n", 2, 1, "has 300 bytes; at most 255"},
        faulty_text{"spam 1:1\na,,b 1:1\n", 2, 3, "empty item"},
        faulty_text{"spam 1:1\na,b,a 1:1\n", 2, 5, "'a' stands twice"},
        faulty_text{"spam 1:1\nham 2:1 1:1\n", 2, 9, "1 follows 2"}})
    expect_refused(bad, [&] { open(bad.text); });
  // A table, also with times behind its fields.
  for (const char* const table : {"a,b 10:00\nc,d 11:30\n", "name,age\nx,1\n", "a;b 10:00\nc;d 11:00\n"})
    EXPECT_THAT(message_of<input_error>([&] { open(table); }), HasSubstr("w.svm:1:1: this is a table")) << table;
}

TEST_F(word_labels_of_text, of_a_file_cut_anywhere_are_refused_or_a_part) {
  const std::string text = "spam,eggs 1:1 12:2\nham 2:0.5\n\nspam qid:3 4:1\n";
  const std::vector<std::string> parts{"spam", "eggs", "ham"};
  for (std::size_t bytes = 0; bytes <= text.size(); ++bytes) {
    std::vector<std::string> words;
    if (message_of([&] { words = words_of(text.substr(0, bytes)); }) != "accepted") continue;
    ASSERT_FALSE(words.empty()) << bytes;
    for (const std::string& word : words)
      EXPECT_TRUE(std::ranges::any_of(parts, [&](const auto& whole) { return whole.starts_with(word); })) << word;
  }
}

TEST_F(word_labels_of_text, do_not_depend_on_threads_or_memory) {
  std::string text;
  for (int k = 0; k < 300'000; ++k) {
    text += "c" + std::to_string(k * 31 % 1017);
    if (k % 3 == 1) text += ",d" + std::to_string(k * 7 % 13);
    text += " " + std::to_string(1 + k % 5) + ":1 " + std::to_string(7 + k % 1009) + ":0.25\n";
  }
  open_options one = silent, four = silent, little = silent;
  one.threads = 1, four.threads = 4;
  little.memory = std::uint64_t{16} << 20, little.cache_folder = folder.path();
  const sparse_dataset expected = open(text, one);
  const word_lists words = words_in(expected);
  for (const open_options& how : {four, little}) {
    const sparse_dataset found = open(text, how);
    EXPECT_TRUE(std::ranges::equal(found.label_words(), expected.label_words()));
    EXPECT_TRUE(words_in(found) == words);
  }
}

TEST_F(word_labels_of_text, of_pieces_are_those_of_a_model) {
  const auto known = known_label_words(std::vector<std::string>{"ham", "spam"});
  EXPECT_EQ(parse_libsvm("spam 1:1\nham\n", "text", false, known.get()).label, (std::vector<double>{1, 0}));
  expect_refused({"1 1:1\n", 1, 1, "'1' is none of"}, [&] { parse_libsvm("1 1:1\n", "text", false, known.get()); });
  EXPECT_EQ(known_label_words({}), nullptr);
}

TEST_F(word_labels_of_text, stand_beside_a_matrix) {
  const std::string matrix =
      folder.write("m.mtx", "%%MatrixMarket matrix coordinate real general\n3 2 2\n1 1 1\n2 2 1\n");
  folder.write("m.labels", "spam\nham\n1\n");
  const sparse_dataset trained = open_matrix_market(matrix, {}, silent);
  EXPECT_EQ(words_in(trained), (word_lists{{"spam"}, {"ham"}, {"1"}}));
  open_options through = silent;
  through.numbering = &trained.numbering();
  through.label_words = trained.label_words();
  folder.write("m.labels", "1\nspam\nspam\n");
  EXPECT_EQ(words_in(open_matrix_market(matrix, {}, through)), (word_lists{{"1"}, {"spam"}, {"spam"}}));
  for (const faulty_text& bad : {faulty_text{"1\nspam\n2\n", 3, 1, "'2' is none of"}})
    expect_refused(bad, [&] { open_matrix_market(matrix, folder.write("bad", bad.text), through); });
  for (const faulty_text& bad :
       {faulty_text{"1\nspam\n2\n", 2, 1, "'spam' is not a finite number"},
        faulty_text{"spam\na b\nx\n", 2, 1, "has a blank"}, faulty_text{"a,b\nx\ny\n", 1, 1, "not a finite number"}})
    expect_refused(bad, [&] { open_matrix_market(matrix, folder.write("bad", bad.text), silent); });
}

}  // namespace
}  // namespace hogwild
