// SPDX-License-Identifier: Apache-2.0
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/error.hpp>
#include <hogwild/formats/libffm.hpp>
#include <hogwild/formats/row_text.hpp>
#include <hogwild/formats/tables.hpp>

#include "support/refusals.hpp"
#include "support/scratch_folder.hpp"
#include "table_rows.hpp"

namespace hogwild {
namespace {

using testing::HasSubstr;
using namespace test;

/// All rows in the order of the input.
std::string written(sparse_dataset data, auto lines, std::string text = {}) {
  data.number_rows();
  const sparse_view rows = data.view();
  std::vector<std::size_t> order(rows.rows());
  for (std::size_t r = 0; r < order.size(); ++r) order[rows.id_of(r)] = r;
  for (const std::size_t r : order) lines.append(r, text);
  return text;
}

std::vector<std::uint32_t> as_given(const sparse_dataset& data) {
  const auto original = data.numbering().original();
  return {original.begin(), original.end()};
}

struct row_text : testing::Test {
  scratch_folder folder;
  std::string file(std::string_view text) const { return folder.write("data", text); }
  sparse_dataset libsvm(std::string_view text) const { return open_libsvm(file(text), uncached); }
};

TEST_F(row_text, libsvm_keeps_digits_spellings_and_zeros) {
  for (const std::string text : {"+1 1:0.1 3:16777217\n-1 2:1e-40 4:0\n", "007 5:-3.4028235e+38\n0.5\n8 1:1\n"}) {
    const sparse_dataset data = libsvm(text);
    const std::string once = written(data, libsvm_text(data, as_given(data)));
    const sparse_dataset again = libsvm(once);
    EXPECT_EQ(written(again, libsvm_text(again, as_given(again))), once);
    EXPECT_THAT(once, testing::StartsWith(text.substr(0, text.find(' '))));
  }
  const sparse_dataset data = libsvm("1 1:0.10 7:2.50\n");
  EXPECT_EQ(written(data, libsvm_text(data, as_given(data))), "1 1:0.1 7:2.5\n");
  EXPECT_EQ(written(data, libsvm_text(data, columns_from_1(data))), "1 1:0.1 2:2.5\n");
}

TEST_F(row_text, lists_of_labels_may_be_empty_where_there_are_entries) {
  const sparse_dataset data = libsvm("7,2 1:1\n4:1\n2\n");
  EXPECT_EQ(written(data, libsvm_text(data, as_given(data))), "2,7 1:1\n4:1\n2\n");
  const table words = open_table(file("__label__a __label__b x\n\t__label__a\n"),
                                 table_request{.text = named_text::labelled_text}, uncached);
  EXPECT_EQ(written(words.rows, libsvm_text(words.rows, columns_from_1(words.rows))), "0,1 1:1\n0\n");
  std::string none;
  EXPECT_THAT(message_of<input_error>([&] { libffm_text(words.rows).append(0, none); }), HasSubstr("lists of labels"));
}

TEST_F(row_text, libffm_keeps_the_order_of_entries) {
  const std::string text = "1 3:7:0.5 0:0:1 3:6:2\n-1 1022:4194303:1\n";
  const sparse_dataset data = open_libffm(file(text), uncached);
  EXPECT_EQ(written(data, libffm_text(data)), text);
}

TEST_F(row_text, columns_of_a_table_are_fields) {
  const table read = open_table(file("a,b,y\nx,2,1\n,0,0\n"),
                                table_request{.label = "y", .categorical = {"a"}, .as_fields = true}, uncached);
  EXPECT_EQ(written(read.rows, libffm_text(read.rows)), "1 0:2:1 1:0:1\n0 0:1:1\n");
}

TEST_F(row_text, a_table_is_quoted_where_it_must_be) {
  const std::string text =
      "y,\"a \"\"b\"\"\",n\nyes,\"1,2\",0.1\nno,\" x\",\nno,\"two\nlines\",-3e-05\nyes,\"\"\"\",0\nno,,7\n";
  const table read = open_table(file(text), table_request{.label = "y", .categorical = {"a*"}}, uncached);
  const table_text lines(read.rows, *read.schema, ',');
  EXPECT_EQ(written(read.rows, lines, lines.header()), text);
  const table_text tabs(read.rows, *read.schema, '\t');
  EXPECT_THAT(written(read.rows, tabs), HasSubstr("yes\t1,2\t0.1\n"));
}

TEST_F(row_text, of_tables_whose_fields_cannot_be_told_is_refused) {
  const auto refused = [&](const std::string& text, const table_request& how) {
    const table read = open_table(file(text), how, uncached);
    return message_of<input_error>([&] { (void)table_text(read.rows, *read.schema, ',').header(); });
  };
  const std::string text = "y,a,b\n1,p|q,2026-11-30\n0,p,2026-12-01\n";
  EXPECT_THAT(refused(text, {.label = "y", .lists = {"a"}}), HasSubstr("the column 'a' is read as list"));
  EXPECT_THAT(refused(text, {.label = "y", .texts = {"a"}}), HasSubstr("'a' is read as text"));
  EXPECT_THAT(refused(text, {.label = "y", .dates = {"b"}}), HasSubstr("'b' is read as date"));
  EXPECT_THAT(refused(text, {.label = "y", .hash_bits = 8}), HasSubstr("'a' has values by hash"));
  EXPECT_THAT(refused(text, {.label = "y", .min_rows = 2}), HasSubstr("'a' has values that share a column"));
  EXPECT_THAT(refused(text, {.label = "y", .interactions = {"a*b"}}), HasSubstr("'a*b' is read as interaction"));
  EXPECT_EQ(refused(text, {.label = "y"}), "accepted");
}

TEST_F(row_text, of_a_table_with_values_left_out_is_refused) {
  const table read = open_table(file("y,a\n1,p\n0,q\n"), table_request{.label = "y"}, uncached);
  open_options options = uncached;
  options.numbering = &read.rows.numbering();
  const sparse_dataset other = open_table(file("y,a\n1,p\n0,r\n"), *read.schema, options);
  EXPECT_THAT(message_of<input_error>([&] { (void)table_text(other, *read.schema, ',').header(); }),
              HasSubstr("would have gaps"));
}

}  // namespace
}  // namespace hogwild
