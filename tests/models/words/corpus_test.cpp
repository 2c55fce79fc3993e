// SPDX-License-Identifier: Apache-2.0
#include <hogwild/formats/corpus.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/error.hpp>

#include "support/scratch_folder.hpp"

namespace {

using namespace hogwild;

using sentences = std::vector<std::vector<std::string>>;

sentences sentences_of(const corpus& c) {
  sentences all;
  const sparse_view rows = c.rows.view();
  row_cursor cursor(rows);
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    std::vector<std::string>& words = all.emplace_back();
    for (const auto [word, value] : cursor.row(r)) {
      EXPECT_EQ(value, 1.0f);
      words.emplace_back(c.words.word(word));
    }
  }
  return all;
}

std::string refusal_of(std::string_view text, const corpus_options& options = {.min_count = 1}) {
  try {
    read_corpus(text, "text", options);
  } catch (const input_error& e) {
    return e.what();
  }
  return "accepted";
}

// A file's last line may lack its end; behind the last end there is no line.
TEST(corpus, rows_of_documents_are_the_lines) {
  const corpus_options lines{.min_count = 1, .sentence = 2, .documents = true};
  for (const char* const text : {"a b c\n\n \nb\n", "a b c\n\n \nb"}) {
    const corpus read = read_corpus(text, "text", lines);
    EXPECT_EQ(sentences_of(read), (sentences{{"a", "b", "c"}, {}, {}, {"b"}}));
  }
  EXPECT_EQ(sentences_of(read_corpus("\na\n\n", "text", lines)), (sentences{{}, {"a"}, {}}));
}

TEST(corpus, a_text_can_be_read_with_the_words_of_another) {
  const corpus first = read_corpus("b a c\na b a\n d a", "first", {.min_count = 1});
  const corpus c = read_corpus("c x c c\n\nx\nd y c", "text", {.min_count = 3, .words = first.words});
  EXPECT_EQ(sentences_of(c), (sentences{{"c", "c", "c"}, {}, {"d", "c"}}));
  EXPECT_EQ(c.words.size(), 4u);
  EXPECT_EQ(c.words.count(0), 4u);
  EXPECT_EQ(c.rows.unknown_entries(), 3u);
  EXPECT_EQ(first.rows.unknown_entries(), 0u);
  const sparse_view rows = c.rows.view();
  EXPECT_EQ(std::vector<std::uint32_t>(rows.degree.begin(), rows.degree.end()),
            (std::vector<std::uint32_t>{4, 2, 1, 1}));
  EXPECT_NE(refusal_of("x y", {.words = first.words}).find("no word is one of"), std::string::npos);
}

TEST(corpus, words_are_ordered_by_falling_count_and_ties_by_their_bytes) {
  const corpus c = read_corpus("b a c\na b a\n\n d \t a", "text", {.min_count = 1});
  ASSERT_EQ(c.words.size(), 4u);
  EXPECT_EQ(c.words.word(0), "a");
  EXPECT_EQ(c.words.count(0), 4u);
  EXPECT_EQ(c.words.word(1), "b");
  EXPECT_EQ(c.words.word(2), "c");
  EXPECT_EQ(c.words.word(3), "d");
  EXPECT_EQ(c.words.find("d"), 3u);
  EXPECT_EQ(c.words.find("e"), std::nullopt);
  EXPECT_EQ(sentences_of(c), (sentences{{"b", "a", "c"}, {"a", "b", "a"}, {"d", "a"}}));
  const sparse_view rows = c.rows.view();
  EXPECT_TRUE(std::ranges::equal(rows.degree, std::vector<std::uint32_t>{4, 2, 1, 1}));
  c.rows.verify();
}

TEST(corpus, rare_words_are_left_out_and_long_lines_are_cut) {
  const corpus c = read_corpus("x a b a y b a\nz\nb", "text", {.min_count = 3, .sentence = 3});
  EXPECT_EQ(c.words.size(), 2u);
  // A sentence is cut after so many words of the text, frequent or not.
  EXPECT_EQ(sentences_of(c), (sentences{{"a", "b"}, {"a", "b"}, {"a"}, {}, {"b"}}));
}

TEST(corpus, is_the_same_for_any_number_of_threads_and_any_blocks) {
  std::mt19937_64 random(3);
  std::string text;
  std::map<std::string, std::uint64_t> counts;
  sentences lines(1);
  while (text.size() < (std::size_t{5} << 20)) {
    const auto number = static_cast<std::size_t>(std::exp(std::uniform_real_distribution<double>(0.0, 9.0)(random)));
    const std::string word = "w" + std::to_string(number);
    ++counts[word];
    text += word;
    lines.back().push_back(word);
    const bool ends = random() % 5000 == 0;
    text += ends ? "\r\n" : " ";
    if (ends || lines.back().size() == 1000) lines.emplace_back();
  }
  if (lines.back().empty()) lines.pop_back();
  const corpus one = read_corpus(text, "text", {.min_count = 1, .threads = 1});
  ASSERT_EQ(one.words.size(), counts.size());
  for (std::size_t r = 0; r < one.words.size(); ++r)
    ASSERT_EQ(one.words.count(r), counts[std::string(one.words.word(r))]);
  std::erase_if(lines, [](const auto& words) { return words.empty(); });
  EXPECT_EQ(sentences_of(one), lines);
  const corpus three = read_corpus(text, "text", {.min_count = 1, .threads = 3});
  EXPECT_EQ(sentences_of(three), lines);
}

TEST(corpus, rows_may_lie_in_a_nameless_file) {
  const test::scratch_folder folder;
  const corpus c = read_corpus("a b a\nb c", "text", {.min_count = 1, .scratch = folder.path(), .memory = 0});
  EXPECT_EQ(sentences_of(c), (sentences{{"a", "b", "a"}, {"b", "c"}}));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  EXPECT_EQ(sparse_dataset::map(c.rows.shared_path()).nonzeros(), 5u);
}

TEST(corpus, files_are_read_as_they_are_named) {
  const test::scratch_folder folder;
  const auto path = folder.path() / "text";
  std::ofstream(path) << "to be or not to be";
  const corpus c = open_corpus(path.string(), {.min_count = 2});
  EXPECT_EQ(sentences_of(c), (sentences{{"to", "be", "to", "be"}}));
  EXPECT_THROW(open_corpus((folder.path() / "none").string()), input_error);
}

TEST(corpus, faults_are_told_with_their_place) {
  using namespace std::string_literals;
  EXPECT_TRUE(refusal_of("a b\nc \0d"s).starts_with("text:2:3: a byte 0"));
  EXPECT_TRUE(refusal_of("a b\n" + std::string(1001, 'x')).starts_with("text:2:1: a word of more than 1000 bytes"));
  EXPECT_EQ(refusal_of("a " + std::string(1000, 'x')), "accepted");
  // Faults far behind the first block, in the middle of an endless word, and one after the other.
  const std::string far(std::size_t{5} << 20, ' ');
  EXPECT_TRUE(refusal_of(far + std::string(std::size_t{5} << 20, 'x')).starts_with("text:1:5242881: a word of"));
  EXPECT_TRUE(refusal_of("a\n" + far + "\0 \0"s).starts_with("text:2:5242881: a byte 0"));
  for (const char* const empty : {"", " \n\t", "\n"})
    EXPECT_TRUE(refusal_of(empty).starts_with("text: no word occurs 1 times"));
  EXPECT_TRUE(refusal_of("a a b", {.min_count = 3}).starts_with("text: no word occurs 3 times"));
  EXPECT_THROW(read_corpus("a", "text", {.min_count = 0}), config_error);
  EXPECT_THROW(read_corpus("a", "text", {.sentence = 0}), config_error);
}

TEST(corpus, files_of_rows_are_no_text_of_words) {
  const test::scratch_folder folder;
  const auto refusal = [&](const std::string& text) -> std::string {
    try {
      open_corpus(folder.write("text", text), {.min_count = 1});
    } catch (const input_error& e) {
      return e.what();
    }
    return "accepted";
  };
  for (const auto& [text, is] :
       {std::pair("%%MatrixMarket matrix coordinate real general\n3 3 1\n1 1 1\n", "a Matrix "),
        std::pair("1 3:1 4:1\n-1 2:1 7:0.5\n", "LIBSVM text"),
        std::pair("# made by hand\n1 3:1 4:1\n1 2:1 7:0.5\n", "LIBSVM text"),
        std::pair("1e-05 3:1 4:1\n-1 2:1 7:0.5\n", "LIBSVM text"),
        std::pair("1,5 3:1 4:1\n2 2:1 7:0.5\n", "LIBSVM text"),
        std::pair("1 0:3:1 1:4:1\n-1 1:2:1 2:7:0.5\n", "libffm text"), std::pair("{\"text\": \"a b\"}\n", "JSON"),
        std::pair("{\n  \"text\": \"a b\"\n}\n", "JSON"), std::pair("[\n  {\"text\": \"a\"}\n]\n", "JSON"),
        std::pair("[\"a b\", \"c d\"]\n", "JSON"), std::pair("{ \"text\": \"a b\" }\n", "JSON")})
    EXPECT_THAT(refusal(text),
                ::testing::AllOf(::testing::HasSubstr("this is " + std::string(is)),
                                 ::testing::HasSubstr(", not a text of words; name the text whose words are")))
        << text;
  for (const char* const text :
       {"3 1 4\n1 5 9\n", "[Illustration: a cat]\nthe cat sat\n", "Matthew 5:3\nMark 2:4\n", "[12:30] hello\n"})
    EXPECT_EQ(refusal(text), "accepted") << text;
}

}  // namespace
