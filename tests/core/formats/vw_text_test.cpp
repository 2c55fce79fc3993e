// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/tables.hpp>

#include "formats/text_hashes.hpp"
#include "support/refusals.hpp"
#include "support/scratch_folder.hpp"
#include "table_rows.hpp"

namespace hogwild {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using namespace test;

using numbered_row = std::map<std::uint32_t, float>;

/// A line, and the columns that Vowpal Wabbit 9.11 gives it by --audit -b 18, and then also by --ngram 2 --skips 1. Its
/// constant is left out.
struct audited_line {
  std::string line;
  numbered_row columns, with_pairs;
};
const std::vector<audited_line> audited = {
    {"1 |f a b:2 c:0.5",
     {{14355, 1.0f}, {146788, 2.0f}, {253856, 0.5f}},
     {{7783, 1.0f}, {14355, 1.0f}, {146788, 2.0f}, {162676, 1.0f}, {162859, 1.0f}, {253856, 0.5f}}},
    {"-1 2 |f a |g x 12 y:3",
     {{14355, 1.0f}, {41428, 3.0f}, {123625, 1.0f}, {189474, 1.0f}},
     {{14355, 1.0f}, {20334, 1.0f}, {41428, 3.0f}, {122983, 1.0f}, {123625, 1.0f}, {189474, 1.0f}, {237081, 1.0f}}},
    {"1 0.5 0.25 'tag1|site news sport:2 |user 17 bob",
     {{14634, 1.0f}, {15646, 1.0f}, {37988, 2.0f}, {97449, 1.0f}},
     {{10982, 1.0f}, {14634, 1.0f}, {15646, 1.0f}, {37988, 2.0f}, {43855, 1.0f}, {97449, 1.0f}}},
    {"-1 tag2| plain words :0.5 :2",
     {{0, 0.5f}, {1, 2.0f}, {133590, 1.0f}, {256121, 1.0f}},
     {{0, 0.5f},
      {1, 3.0f},
      {17771, 1.0f},
      {41086, 1.0f},
      {41087, 1.0f},
      {133590, 1.0f},
      {146325, 1.0f},
      {256121, 1.0f}}},
    {"1 |a:2 p q:3 |b r",
     {{75100, 1.0f}, {200833, 6.0f}, {228100, 2.0f}},
     {{70517, 1.0f}, {75100, 1.0f}, {200833, 6.0f}, {228100, 2.0f}}},
    {"-1 |a p a p |b 007 -3:1",
     {{128920, 1.0f}, {163338, 1.0f}, {191076, 1.0f}, {228100, 2.0f}},
     {{70214, 1.0f},
      {97784, 1.0f},
      {128920, 1.0f},
      {163338, 1.0f},
      {191076, 1.0f},
      {228100, 2.0f},
      {248892, 1.0f},
      {260748, 1.0f}}},
    {"1 |long namespace_name feature_with_long_name another-feature:1e-3",
     {{118901, 1.0f}, {181818, 0.001f}, {220260, 1.0f}},
     {{66830, 1.0f}, {118901, 1.0f}, {120283, 1.0f}, {158725, 1.0f}, {181818, 0.001f}, {220260, 1.0f}}},
    {"-1 |\xc3\xa9 \xc3\xbcn\xc3\xaf"
     "code",
     {{11790, 1.0f}},
     {{11790, 1.0f}}},
    {"1 'only_tag |x 1:0.5 2:0.25 3",
     {{170780, 0.5f}, {170781, 0.25f}, {170782, 1.0f}},
     {{152263, 1.0f}, {170780, 0.5f}, {170781, 0.25f}, {170782, 1.0f}, {259529, 1.0f}, {259530, 1.0f}}},
    {"-1 1.5 |s s1 s2 s3 |t t1 t2",
     {{87268, 1.0f}, {87607, 1.0f}, {106895, 1.0f}, {204072, 1.0f}, {248889, 1.0f}},
     {{85311, 1.0f},
      {87268, 1.0f},
      {87607, 1.0f},
      {106895, 1.0f},
      {130241, 1.0f},
      {204072, 1.0f},
      {222007, 1.0f},
      {222346, 1.0f},
      {248889, 1.0f}}},
    {"1 |a color:red n:5", {{76245, 5.0f}, {258134, 1.0f}}, {{38611, 1.0f}, {76245, 5.0f}, {258134, 1.0f}}},
    {"1 |1 a |12:3 b", {{114251, 3.0f}, {187624, 1.0f}}, {{94099, 1.0f}, {114251, 3.0f}, {187624, 1.0f}}},
    {"1 |a:2 x |b c", {{37234, 1.0f}, {55432, 2.0f}}, {{37234, 1.0f}, {55432, 2.0f}}},
    {"1 |n 0 1 2 00 18446744073709551615",
     {{121003, 1.0f}, {121004, 2.0f}, {121005, 1.0f}, {121006, 1.0f}},
     {{75685, 1.0f},
      {75687, 1.0f},
      {121003, 1.0f},
      {121004, 2.0f},
      {121005, 1.0f},
      {121006, 1.0f},
      {182951, 1.0f},
      {182953, 1.0f},
      {182954, 1.0f},
      {230561, 1.0f},
      {230562, 1.0f}}},
    {"-1 |punct a,b.c!d=e (f) \"g\"",
     {{39102, 1.0f}, {124699, 1.0f}, {132729, 1.0f}},
     {{39102, 1.0f}, {74465, 1.0f}, {124699, 1.0f}, {132729, 1.0f}, {162387, 1.0f}, {247984, 1.0f}}},
    {"1 0.5 tag|UPPER Lower MIXED:0.1",
     {{39258, 1.0f}, {209320, 0.1f}},
     {{39258, 1.0f}, {202650, 1.0f}, {209320, 0.1f}}},
    {"1 |tab\tq\tr:2", {{77142, 2.0f}, {216955, 1.0f}}, {{60901, 1.0f}, {77142, 2.0f}, {216955, 1.0f}}},
    {"-1 |a p |b q |a r",
     {{222277, 1.0f}, {228100, 1.0f}, {247419, 1.0f}},
     {{117103, 1.0f}, {222277, 1.0f}, {228100, 1.0f}, {247419, 1.0f}}},
    {"1 |zero z:0 y:1", {{69854, 1.0f}}, {{69854, 1.0f}}},
    {"1 |x aVeryLongFeatureNameOfMoreThanThirtyTwoBytes:4", {{85221, 4.0f}}, {{85221, 4.0f}}},
};

class vw_text : public testing::Test {
 protected:
  table_request request() const { return {.text = named_text::vowpal_wabbit}; }
  table read(const std::string& text, const table_request& how) {
    return open_table(folder_.write("t.vw", text), how, uncached);
  }
  /// The columns of a line, from 0.
  numbered_row columns(const std::string& line, const table_request& how) {
    const table found = read(line + "\n", how);
    numbered_row row;
    row_cursor cursor(found.rows.view());
    for (auto [j, x] : cursor.row(0)) row[found.rows.original(j) - 1] = x;
    return row;
  }
  std::string refusal(const std::string& text, const table_request& how) {
    const std::string path = folder_.write("t.vw", text);
    const std::string said = message_of<error>([&] { open_table(path, how, uncached); });
    const std::size_t at = said.find(path);
    return at == said.npos ? said : said.substr(at + path.size());
  }
  scratch_folder folder_{};
};

TEST_F(vw_text, columns_are_those_of_its_own_audit) {
  table_request pairs = request();
  pairs.word_ngrams = 2, pairs.word_skips = 1;
  for (const audited_line& one : audited) {
    EXPECT_EQ(columns(one.line, request()), one.columns) << one.line;
    EXPECT_EQ(columns(one.line, pairs), one.with_pairs) << one.line;
  }
}

/// -b 18 -q ba --cubic abc --ngram 3 --skips 1, and -b 18 -q ab.
TEST_F(vw_text, interactions_are_those_of_its_own_audit) {
  table_request how = request();
  how.word_ngrams = 3, how.word_skips = 1;
  how.interactions = {"b*a", "a*b*c"};
  std::vector<std::uint32_t> found;
  for (const auto& [column, value] : columns("1 |a p q |b r s |c t", how)) {
    found.push_back(column);
    EXPECT_EQ(value, 1.0f);
  }
  EXPECT_THAT(found, ElementsAre(1755, 6008, 23409, 34770, 37485, 56481, 70517, 75100, 80098, 81458, 82409, 86112,
                                 110916, 113359, 119114, 148989, 160143, 177360, 188245, 200833, 212422, 218691, 228100,
                                 249948, 250558));
  how = request();
  how.interactions = {"a*b"};
  EXPECT_EQ(columns("1 |a p:2 q |b r:3 s", how), (numbered_row{{48878, 1.0f},
                                                               {58033, 2.0f},
                                                               {75100, 3.0f},
                                                               {148989, 1.0f},
                                                               {200833, 1.0f},
                                                               {228100, 2.0f},
                                                               {229904, 6.0f},
                                                               {253519, 3.0f}}));
}

TEST_F(vw_text, ignored_namespaces_have_no_columns) {
  table_request how = request();
  how.ignored = {"b"};
  EXPECT_EQ(columns("1 |a p |b q |bc r", how), columns("1 |a p", request()));
  how.ignored = {};
  how.hash_bits = 24;
  EXPECT_EQ(columns("1 |f a", how), (numbered_row{{14432275, 1.0f}}));
}

TEST_F(vw_text, importance_is_the_weight_and_base_the_offset) {
  const table found = read("1 |f a\n-1 2 |f b\n1 0.5 0.25 'tag |f c\n-1 3 tag| d\n", request());
  sparse_dataset rows = found.rows;
  rows.number_rows();
  const sparse_view view = rows.view();
  std::map<std::size_t, std::vector<float>> of;
  for (std::size_t r = 0; r < 4; ++r)
    of[view.id.empty() ? r : view.id[r]] = {static_cast<float>(view.label[r]), view.weight[r], view.offset[r]};
  EXPECT_EQ(of[0], (std::vector<float>{1.0f, 1.0f, 0.0f}));
  EXPECT_EQ(of[1], (std::vector<float>{-1.0f, 2.0f, 0.0f}));
  EXPECT_EQ(of[2], (std::vector<float>{1.0f, 0.5f, 0.25f}));
  EXPECT_EQ(of[3], (std::vector<float>{-1.0f, 3.0f, 0.0f}));
  EXPECT_TRUE(read("1 |f a\n", request()).rows.view().weight.empty());
}

TEST_F(vw_text, another_file_is_read_by_the_schema) {
  table_request how = request();
  how.interactions = {"a*b"};
  const table trained = read("1 |a p |b q\n-1 |a r |b q\n", how);
  open_options options = uncached;
  options.numbering = &trained.rows.numbering();
  options.labels_optional = true;
  const sparse_dataset later = open_table(folder_.write("later.vw", "|a p |b q z\n"), *trained.schema, options);
  EXPECT_EQ(named_rows(later, *trained.schema), (std::vector{named_rows(trained.rows, *trained.schema)[0]}));
  EXPECT_EQ(later.unknown_entries(), 2u);
  EXPECT_EQ(describe(*trained.schema), "text of Vowpal Wabbit, 2^18 columns; interaction: a*b");
  EXPECT_EQ(trained.schema->name_of_input(14356), "feature=#14355");
}

TEST_F(vw_text, refusals_name_the_place) {
  const std::pair<std::string, std::string> faults[] = {
      {"1 |f a\n1 f a\n", ":2:1: the line has no '|'"},
      {"1 |f a\n1:2:0.5 |f a\n", ":2:1: the label '1:2:0.5' is not a number; labels with costs"},
      {"shared |f a\n", "are not read"},
      {"1 |f a\n1 -1 |f a\n", ":2:3: the importance '-1' is negative"},
      {"1 |f a\n1 2 3 4 |f a\n", ":2:7: '4' follows"},
      {"1 |f a\n1 |f a:2x\n", ":2:8: the value '2x' is not a number"},
      {"1 |f a\n1 |f a:\n", ":2:8: the value '' is not a number"},
      {"1 |f a\n1 |f a:1e99\n", ":2:8: the value '1e99' is not finite"},
      {"1 |f a\n1 |f:x a\n", ":2:6: the weight of the namespace 'f', 'x', is not a number"},
      {"1 |f a\n1 |f:1e30 a:1e30\n", ":2:11: the value of 'a:1e30' times"},
      {"1 |f a\n|f a\n", ":2:1: the line has no label"},
      {"1 0 |f a\n", "all weights are 0"},
      {"1 |f a\n1 1e39 |f a\n", ":2:3: the importance '1e39' is not finite"},
      {"1 |f a\n1 1 1e39 |f a\n", ":2:5: the base '1e39' is not finite"},
      {"1 |f a\n1 |f a:3e38 a:3e38\n", ":2:3: the values of one column add up"},
  };
  for (const auto& [text, said] : faults) EXPECT_THAT(refusal(text, request()), HasSubstr(said)) << text;
  table_request how = request();
  for (const std::string wrong : {"a", "a*a", "ab*ac", "a*", "a*b*c*d*e"}) {
    how.interactions = {wrong};
    EXPECT_THAT(refusal("1 |a b\n", how), HasSubstr("two to four namespaces")) << wrong;
  }
  how = request(), how.interactions = {"a*b", "bc*ab"};
  EXPECT_THAT(refusal("1 |a b\n", how), HasSubstr("combined twice"));
  how = request(), how.hash_bits = 31;
  EXPECT_THAT(refusal("1 |a b\n", how), HasSubstr("1 to 30"));
  how = request(), how.min_rows = 2;
  EXPECT_THAT(refusal("1 |a b\n", how), HasSubstr("by hash"));
  EXPECT_THAT(refusal("1 1:2 3:4\n", request()), HasSubstr("this is LIBSVM text"));
}

/// Words are not evenly spread over the namespaces that are combined, and a line has as many entries as there are.
TEST_F(vw_text, room_is_that_of_the_line) {
  std::string line = "1 |t";
  for (int k = 0; k < 9000; ++k) line += " w" + std::to_string(k);
  table_request how = request();
  how.interactions = {"t*u*v"}, how.hash_bits = 30;
  // Some may have the same hash.
  EXPECT_NEAR(static_cast<double>(read(line + " |u a |v b\n", how).rows.nonzeros()), 9000 + 2 + 9000, 10);
  how.interactions = {"a*b*c*d"};
  line = "1";
  for (const char* const name : {" |a", " |b", " |c", " |d"}) {
    line += name;
    for (int k = 0; k < 1000; ++k) line += " w" + std::to_string(k);
  }
  EXPECT_THAT(refusal("1 |a b\n" + line + "\n", how),
              HasSubstr(":2:3: the runs and interactions of the line have more"));
}

TEST(text_hashes, are_those_of_others) {
  EXPECT_EQ(detail::murmur_hash("", 0), 0u);
  EXPECT_EQ(detail::murmur_hash("", 1), 0x514e28b7u);
  EXPECT_EQ(detail::murmur_hash("hello", 0), 0x248bfa47u);
  EXPECT_EQ(detail::murmur_hash("hello, world", 0), 0x149bbb7fu);
  EXPECT_EQ(detail::fasttext_hash(""), 0x811c9dc5u);
  EXPECT_EQ(detail::fasttext_hash("a"), 0xe40c292cu);
  EXPECT_EQ(detail::fasttext_hash("foobar"), 0xbf9cf968u);
}

}  // namespace
}  // namespace hogwild
