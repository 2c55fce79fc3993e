// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/formats/libsvm.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/error.hpp>

#include "support/refusals.hpp"

namespace hogwild {
namespace {

/// A line so often that the text is parsed in several pieces.
std::string many_rows(const std::string& line) {
  std::string text;
  while (text.size() < (std::size_t{3} << 20)) text += line;
  return text;
}

using test::expect_refused;
using test::faulty_text;
using test::message_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class libsvm_refuses : public ::testing::TestWithParam<faulty_text> {};

TEST_P(libsvm_refuses, with_line_and_column) {
  const faulty_text& bad = GetParam();
  expect_refused(bad, [&] { parse_libsvm(bad.text, "data.svm"); });
  const std::string place = "data.svm:" + std::to_string(bad.line) + ":" + std::to_string(bad.column);
  EXPECT_THAT(message_of([&] { parse_libsvm(bad.text, "data.svm"); }), HasSubstr(place));
}

INSTANTIATE_TEST_SUITE_P(
    malformed, libsvm_refuses,
    ::testing::Values(
        faulty_text{"1 0:1\n", 1, 3, "index is 0"}, faulty_text{"1 00:1\n", 1, 3, "index is 0"},
        faulty_text{"1 1:1\n-1 3:1 2:1\n", 2, 8, "2 follows 3"}, faulty_text{"1 2:1 2:1\n", 1, 7, "stands twice"},
        faulty_text{"abc 1:1\n", 1, 1, "label 'abc' is not a number"}, faulty_text{"1.5.1 1:1\n", 1, 1, "label"},
        faulty_text{"1 x:1\n", 1, 3, "index 'x'"}, faulty_text{"1 -2:1\n", 1, 3, "index '-2'"},
        faulty_text{"1 +2:1\n", 1, 3, "index '+2'"}, faulty_text{"1 1.5:1\n", 1, 3, "index '1.5'"},
        faulty_text{"1 :1\n", 1, 3, "index ''"}, faulty_text{"1 1:abc\n", 1, 5, "value 'abc' is not a number"},
        faulty_text{"1 1:\n", 1, 5, "value '' is not a number"}, faulty_text{"1 1: 2:1\n", 1, 5, "value ''"},
        faulty_text{"1 1:1:1\n", 1, 3, "read it as the format ffm"}, faulty_text{"1 1:0x1p3\n", 1, 5, "value '0x1p3'"},
        faulty_text{"1 1:nan\n", 1, 5, "not finite"}, faulty_text{"1 1:-inf\n", 1, 5, "not finite"},
        faulty_text{"1 1:1e39\n", 1, 5, "not finite"}, faulty_text{"nan 1:1\n", 1, 1, "not finite"},
        faulty_text{"-inf 1:1\n", 1, 1, "not finite"}, faulty_text{"1e999 1:1\n", 1, 1, "not finite"},
        faulty_text{"1 7\n", 1, 3, "no ':'"}, faulty_text{"1 1:1 7 8:1\n", 1, 7, "no ':'"},
        faulty_text{"1:1 2:1\n", 1, 1, "not with a label"}, faulty_text{"\n\n  x:1\n", 3, 3, "not with a label"},
        faulty_text{"1 4294967295:1\n", 1, 3, "too large"},
        faulty_text{"1 99999999999999999999:1\n", 1, 3, "too large"},
        faulty_text{"1 qid:a 1:1\n", 1, 3, "no whole number"}, faulty_text{"1 1:1\r2:1\n", 1, 6, "carriage return"},
        faulty_text{"# c\r\n1 1:1\r\n1 1:x", 3, 5, "value 'x'"}, faulty_text{"1\t1:1 \t 1:2\n", 1, 9, "stands twice"},
        faulty_text{"1 1:1\n\x01 1:1\n", 2, 1, "label '\\x01'"}));

TEST(libsvm, reads_what_writers_write) {
  const libsvm_rows rows = parse_libsvm("+1 1:0.5 3:-2\n-1.5\t2:+1e1  \r\n\n# a comment\n0 \n3 4294967294:1 # more\n7");
  EXPECT_THAT(rows.label, ElementsAre(1.0, -1.5, 0.0, 3.0, 7.0));
  EXPECT_THAT(rows.row_start, ElementsAre(0, 2, 3, 3, 4, 4));
  EXPECT_THAT(rows.index, ElementsAre(0, 2, 1, 4294967293u));
  EXPECT_THAT(rows.value, ElementsAre(0.5f, -2.0f, 10.0f, 1.0f));
  EXPECT_EQ(rows.columns, 4294967294u);
}

TEST(libsvm, long_indices_and_leading_zeros_are_read) {
  const libsvm_rows rows = parse_libsvm("1 0000000012:1 12345678:2 123456789:3\n");
  EXPECT_THAT(rows.index, ElementsAre(11, 12345677, 123456788));
}

TEST(libsvm, labels_are_read_in_double_precision) {
  EXPECT_THAT(parse_libsvm("0.1 1:1\n16777217\n-12345678.25\n1e-400\n").label,
              ElementsAre(0.1, 16777217.0, -12345678.25, 0.0));
}

TEST(libsvm, rows_without_labels_get_zero_on_request) {
  const libsvm_rows rows = parse_libsvm("1:2 3:4\n5 2:1\n  7:1\n", "text", true);
  EXPECT_THAT(rows.label, ElementsAre(0.0, 5.0, 0.0));
  EXPECT_THAT(rows.index, ElementsAre(0, 2, 1, 6));
  EXPECT_THROW(parse_libsvm("x:1\n", "text", true), format_error);
}

TEST(libsvm, labels_that_are_not_looked_at_may_be_words) {
  const libsvm_rows rows = parse_libsvm("abcd-1234 1:1\n? 2:1\n", "text", true);
  EXPECT_EQ(rows.label, (std::vector<double>{0, 0}));
  EXPECT_EQ(rows.index, (std::vector<std::uint32_t>{0, 1}));
  for (const char* const text : {"word\n", "word other\n", "word x:1\n"})
    EXPECT_THROW(parse_libsvm(text, "text", true), format_error) << text;
  EXPECT_THROW(parse_libsvm("? 2:1\n"), format_error);
}

TEST(libsvm, a_blank_line_among_rows_without_labels_is_refused_as_it_may_be_one) {
  const std::string many = many_rows("1:0.5 2:1\n");
  const auto lines = static_cast<std::size_t>(std::count(many.begin(), many.end(), '\n'));
  for (const auto& [text, blank] : std::vector<std::pair<std::string, std::size_t>>{{"1:1\n\n2:1\n", 2},
                                                                                    {"\n1:1\n", 1},
                                                                                    {"1 1:1\n \t\r\n2:1\n", 2},
                                                                                    {"2:1\n\n" + many, 2},
                                                                                    {many + "\n" + many, lines + 1}})
    EXPECT_THAT(message_of<format_error>([&text = text] { parse_libsvm(text, "text", true); }),
                HasSubstr("text:" + std::to_string(blank) + ":1: the line is blank, and rows here have no labels"));
  // A blank line is not refused after the last row, nor where rows have labels.
  EXPECT_EQ(parse_libsvm("1:1\n2:1\n\n\n", "text", true).label.size(), 2u);
  EXPECT_EQ(parse_libsvm("1:1\n# two\n2:1\n", "text", true).label.size(), 2u);
  EXPECT_EQ(parse_libsvm("1 1:1\n\n-1 2:1\n", "text", true).label.size(), 2u);
}

TEST(libsvm, nothing_in_gives_nothing_out) {
  for (const char* text : {"", "\n", "\r\n\r\n", "# only a comment", "   "})
    EXPECT_TRUE(parse_libsvm(text).label.empty());
}

TEST(libsvm, lines_count_across_pieces_of_a_long_text) {
  std::string text;
  while (text.size() < 3'000'000) text += "1 1:0.25 20:0.125 300:1\n";
  const std::size_t lines = text.size() / 24;
  EXPECT_EQ(parse_libsvm(text).label.size(), lines);
  expect_refused({"", lines + 1, 5, ""}, [&] { parse_libsvm(text + "1 5:\n"); });
}

TEST(libsvm, writes_in_the_numbering_of_the_input_in_ascending_order) {
  const std::vector<std::uint64_t> start = {0, 3, 3};
  const std::vector<std::uint32_t> index = {0, 1, 2};
  const std::vector<float> value = {0.1f, 2, -3};
  const std::vector<double> label = {-1, 0.1};
  const sparse_view view{.row_start = start, .index = index, .value = value, .label = label, .columns = 3};
  std::ostringstream ordered, plain;
  write_libsvm(ordered, view, std::vector<std::uint32_t>{70, 5, 900});
  EXPECT_EQ(ordered.str(), "-1 5:2 70:0.1 900:-3\n0.1\n");
  write_libsvm(plain, view);
  EXPECT_EQ(plain.str(), "-1 1:0.1 2:2 3:-3\n0.1\n");
}

RC_GTEST_PROP(libsvm, what_is_written_is_read_back, (const std::vector<std::map<std::uint16_t, float>>& rows)) {
  libsvm_rows written;
  for (const auto& row : rows) {
    for (const auto& [index, value] : row) {
      RC_PRE(std::isfinite(value));
      written.index.push_back(index);
      written.value.push_back(value);
      written.columns = std::max<std::size_t>(written.columns, index + 1u);
    }
    written.row_start.push_back(written.index.size());
    written.label.push_back(row.empty() ? 0.0 : 1.0 / (1.0 + static_cast<double>(row.begin()->first)));
  }
  std::ostringstream text;
  write_libsvm(text, written.view());
  const libsvm_rows read = parse_libsvm(text.str());
  RC_ASSERT(read.row_start == written.row_start);
  RC_ASSERT(read.index == written.index);
  RC_ASSERT(read.value == written.value);
  RC_ASSERT(read.label == written.label);
  RC_ASSERT(read.columns == written.columns);
}

}  // namespace
}  // namespace hogwild
