// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/matrix_market.hpp>

#include "support/refusals.hpp"
#include "support/scratch_folder.hpp"
#include "table_rows.hpp"

namespace hogwild {
namespace {

using testing::HasSubstr;
using namespace test;

using numbered_row = std::map<std::uint32_t, float>;

const std::string banner = "%%MatrixMarket matrix coordinate real general\n";

struct matrix_market : testing::Test {
  scratch_folder folder;

  sparse_dataset open(const std::string& text, const std::string& labels, open_options options = uncached) const {
    const std::string named = folder.write("labels", labels);
    return open_matrix_market(folder.write("m.mtx", text), named, options);
  }
  std::string refusal(const std::string& text, const std::string& labels = "1\n2\n3\n") const {
    return message_of<input_error>([&] { open(text, labels); });
  }
  /// In the order of the file, by column numbers.
  static std::vector<numbered_row> rows_in(sparse_dataset data) {
    data.number_rows();
    const sparse_view view = data.view();
    std::vector<numbered_row> rows(view.rows());
    row_cursor cursor(view);
    for (std::size_t r = 0; r < view.rows(); ++r)
      for (auto [j, x] : cursor.row(r)) EXPECT_TRUE(rows[view.id_of(r)].emplace(data.original(j), x).second);
    return rows;
  }
};

TEST_F(matrix_market, entries_stand_in_any_order) {
  const std::vector<numbered_row> expected = {{{2, 0.5f}}, {}, {{1, -3.0f}, {2, 0.0f}, {4294967294, 1e30f}}};
  for (const std::string entries :
       {"1 2 0.5\n3 1 -3\n3 2 0\n3 4294967294 1e30\n", "3 4294967294 1e30\n3 1 -3\n1 2 .5\n3 2 0\n",
        "\n3 2 0 \r\n\t3\t1 -3.0\n  \n3 4294967294 +1e30\n1 2 5e-1"}) {
    const sparse_dataset data = open(
        "%%MatrixMarket matrix COORDINATE Real general\n% a comment\n\n%\n3 4294967294 4\n" + entries, "1\n+1\n0.5\n");
    EXPECT_EQ(rows_in(data), expected) << entries;
    EXPECT_EQ(labels_of(data), (std::vector<double>{1, 1, 0.5}));
  }
}

TEST_F(matrix_market, entries_of_a_pattern_are_1) {
  const std::string text = "%%MatrixMarket matrix coordinate pattern general\n2 3 3\n1 3\n2 2\n1 1\n";
  EXPECT_EQ(rows_in(open(text, "1\n0\n")), (std::vector<numbered_row>{{{1, 1.0f}, {3, 1.0f}}, {{2, 1.0f}}}));
}

TEST_F(matrix_market, a_dense_matrix_stands_column_by_column) {
  const std::string text = "%%MatrixMarket matrix array integer general\n2 3\n1\n0\n\n-2\n4\n0\n6\n";
  EXPECT_EQ(rows_in(open(text, "1\n0\n")),
            (std::vector<numbered_row>{{{1, 1.0f}, {2, -2.0f}}, {{2, 4.0f}, {3, 6.0f}}}));
}

TEST_F(matrix_market, labels_lie_beside_it_and_keep_their_spelling) {
  const std::string text = banner + "2 1 1\n1 1 1\n";
  folder.write("d.labels", "+1\n007\n");
  const sparse_dataset data = open_matrix_market(folder.write("d.mtx", text), {}, uncached);
  EXPECT_EQ(labels_of(data), (std::vector<double>{1, 7}));
  EXPECT_EQ(detail::spelling_of(data).find(1.0), "+1");
  const std::string alone = folder.write("e.mtx", text);
  EXPECT_THAT(message_of<input_error>([&] { open_matrix_market(alone, {}, uncached); }),
              HasSubstr("--labels FILE, or e.labels beside it"));
  open_options optional = uncached;
  optional.labels_optional = true;
  EXPECT_EQ(labels_of(open_matrix_market(alone, {}, optional)), (std::vector<double>{0, 0}));
}

TEST_F(matrix_market, a_cache_is_made_anew_when_the_labels_change) {
  const std::string text = banner + "2 1 1\n1 1 1\n";
  open_options cached;
  cached.note = [](std::string_view) {};
  EXPECT_FALSE(open(text, "1\n0\n", cached).from_cache());
  const std::string path = folder / "m.mtx", labels = folder / "labels";
  EXPECT_TRUE(open_matrix_market(path, labels, cached).from_cache());
  folder.write("labels", "1\n-12\n");
  EXPECT_EQ(labels_of(open_matrix_market(path, labels, cached)), (std::vector<double>{1, -12}));
}

TEST_F(matrix_market, large_ones_are_read_by_several_threads) {
  std::mt19937 draw(1);
  constexpr unsigned rows = 4000, columns = 400;
  std::vector<numbered_row> expected(rows);
  std::string labels, entries;
  std::vector<std::pair<unsigned, unsigned>> places;
  for (unsigned j = 0; j < columns; ++j)
    for (unsigned r = 0; r < rows; ++r)
      if (draw() % 10 == 0) places.emplace_back(r, j);
  for (const auto& [r, j] : places) {
    const int value = static_cast<int>(draw() % 2000) - 1000;
    expected[r][j + 1] = static_cast<float>(value);
    entries += std::to_string(r + 1) + ' ' + std::to_string(j + 1) + ' ' + std::to_string(value) + '\n';
  }
  for (unsigned r = 0; r < rows; ++r) labels += r % 2 == 0 ? "1\n" : "0\n";
  const std::string head = banner + "4000 400 ";
  open_options four = uncached;
  four.threads = 4;
  const std::string size = std::to_string(places.size()) + "\n";
  EXPECT_EQ(rows_in(open(head + size + entries, labels, four)), expected);
  // The place of a fault behind several blocks.
  const std::string surplus = head + size + "\n" + entries + "1 1 1\n";
  EXPECT_THAT(message_of<input_error>([&] { open(surplus, labels, four); }),
              HasSubstr("m.mtx:" + std::to_string(places.size() + 4) + ":1: there are more entries than"));
}

TEST_F(matrix_market, is_refused_with_the_place) {
  const std::vector<faulty_text> faults = {
      {"", 1, 1, "the file is empty"},
      {"rows\n1 1 1\n", 1, 1, "'rows' does not begin a Matrix Market file"},
      {"1 1:0.5\n-1 2:1\n", 1, 3, "this is LIBSVM text"},
      {"%%MatrixMarket vector coordinate real general\n", 1, 16, "'vector' is not read, only 'matrix'"},
      {"%%MatrixMarket matrix dense real general\n", 1, 23, "'dense' is neither 'coordinate' nor 'array'"},
      {"%%MatrixMarket matrix coordinate complex general\n", 1, 34, "'complex' values are not read"},
      {"%%MatrixMarket matrix coordinate real symmetric\n", 1, 39, "'symmetric' matrices are not read"},
      {"%%MatrixMarket matrix coordinate real hermitian\n", 1, 39, "'hermitian' matrices are not read"},
      {"%%MatrixMarket matrix coordinate real skew-symmetric\n", 1, 39, "'skew-symmetric' matrices are not read"},
      {"%%MatrixMarket matrix coordinate real\n", 1, 38, "'' matrices are not read"},
      {"%%MatrixMarket matrix coordinate real general x\n", 1, 47, "'x' where the line should end"},
      {"%%MatrixMarket matrix array pattern general\n", 1, 29, "a dense matrix has values"},
      {banner, 2, 1, "the text ends before the numbers of rows and columns"},
      {banner + "%\n3 3\n", 3, 4, "the line ends where the number of entries should be"},
      {banner + "3 x 1\n", 2, 3, "the number of columns is 'x'"},
      {banner + "3 4294967295 1\n", 2, 3, "a whole number up to 4294967294"},
      {banner + "3 2 7\n", 2, 5, "a whole number up to 6"},
      {banner + "3 2 1 0\n", 2, 7, "there is '0' where the line should end"},
      {banner + "0 2 0\n", 2, 1, "the matrix has no rows"},
      {banner + "3 2 2\n1 1 1\n", 4, 1, "the text ends after 1 of the 2 entries"},
      {banner + "3 2 1\n1 1 1\n\n2 1 1\n", 5, 1, "there are more entries than the 1"},
      {banner + "3 2 1\n0 1 1\n", 3, 1, "the row '0' lies outside the matrix, whose rows are 1 to 3"},
      {banner + "3 2 1\n1 3 1\n", 3, 3, "the column '3' lies outside the matrix, whose columns are 1 to 2"},
      {banner + "3 2 1\n1.5 1 1\n", 3, 1, "the row '1.5' is not a whole number"},
      {banner + "3 2 1\n-1 1 1\n", 3, 1, "the row '-1' is not a whole number"},
      {banner + "3 2 1\n99999999999999999999 1 1\n", 3, 1, "is not a whole number"},
      {banner + "3 2 1\n1 1\n", 3, 4, "the line ends where the value should be"},
      {banner + "3 2 1\n1\n", 3, 2, "the line ends where the column should be"},
      {banner + "3 2 1\n1 1 x\n", 3, 5, "the value 'x' is not a number"},
      {banner + "3 2 1\n1 1 nan\n", 3, 5, "the value 'nan' is not finite"},
      {banner + "3 2 1\n1 1 1e39\n", 3, 5, "the value '1e39' is not finite"},
      {banner + "3 2 1\n1 1 1 2\n", 3, 7, "there is '2' where the line should end"},
      {banner + "3 2 1\n1 1 1 % one\n", 3, 7, "there is '%' where the line should end"},
      {banner + "3 2 3\n1 1 1\n\n2 2 1\n1 1 1\n", 6, 1, "row 1 and column 1 stands here for the second time"},
      {"%%MatrixMarket matrix coordinate pattern general\n3 2 1\n1 1 1\n", 3, 5,
       "there is '1' where the line should end"},
      {"%%MatrixMarket matrix array real general\n2 1\n1\n", 4, 1, "the text ends after 1 of the 2 entries"},
      {"%%MatrixMarket matrix array real general\n2 1\n1 2\n", 3, 3, "there is '2' where the line should end"},
  };
  for (const faulty_text& bad : faults)
    EXPECT_THAT(refusal(bad.text),
                HasSubstr("m.mtx:" + std::to_string(bad.line) + ":" + std::to_string(bad.column) + ": "))
        << bad.text;
  for (const faulty_text& bad : faults) EXPECT_THAT(refusal(bad.text), HasSubstr(bad.words)) << bad.text;
}

TEST_F(matrix_market, labels_are_refused_with_the_place) {
  const std::string text = banner + "2 1 1\n1 1 1\n";
  for (const auto& [labels, words] : std::vector<std::pair<std::string, std::string>>{
           {"1\n", "there are 1 numbers for the 2 rows"},
           {"1\n2\n3\n", "labels:3:1: there are more numbers than the 2 rows"},
           {"1\n\n2\n", "labels:2:1: a number is missing"},
           {"1\n yes\n", "labels:2:2: the label 'yes' is not a finite number"},
           {"1\n72048431380967004\n", "labels:2:1: => double precision"},
           {"1\ninf\n", "labels:2:1: the label 'inf' is not a finite number"}})
    EXPECT_THAT(refusal(text, labels), HasSubstr(words.substr(0, words.find(" =>")))) << labels;
}

TEST_F(matrix_market, rows_that_no_memory_holds_are_refused) {
  open_options optional = uncached;
  optional.labels_optional = true;
  const std::string path = folder.write("m.mtx", banner + "4294967294 1 1\n1 1 1\n");
  EXPECT_THAT(message_of<resource_error>([&] { open_matrix_market(path, {}, optional); }),
              HasSubstr("4294967294 rows, which take more memory than there is"));
}

TEST_F(matrix_market, a_file_cut_anywhere_is_refused_or_right) {
  const std::string text = banner + "% made by hand\n3 12 4\n1 2 0.5\n3 1 -3\n3 12 1e-3\n2 11 40\n",
                    labels = "1\n0\n1\n";
  const std::vector<numbered_row> whole = rows_in(open(text, labels));
  std::size_t read = 0;
  for (std::size_t bytes = 0; bytes <= text.size(); ++bytes) {
    const std::string cut = text.substr(0, bytes);
    if (refusal(cut, labels) != "accepted") continue;
    ++read;
    std::vector<numbered_row> rows = rows_in(open(cut, labels));
    // A number that lost its last digits is a number; nothing else may change.
    if (bytes + 2 == text.size()) rows[1][11] = 40.0f;
    EXPECT_EQ(rows, whole) << cut;
  }
  EXPECT_EQ(read, 3u);
}

}  // namespace
}  // namespace hogwild
