// SPDX-License-Identifier: Apache-2.0
// Several labels a row: in text, in rows that are opened, and in their caches.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/formats/libsvm.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/libffm.hpp>

#include "data/cache_format.hpp"
#include "support/refusals.hpp"
#include "support/scratch_folder.hpp"

namespace hogwild {
namespace {

using test::expect_refused;
using test::faulty_text;
using test::message_of;
using test::scratch_folder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<double> labels_in(const label_column& labels, std::size_t r) {
  std::vector<double> all;
  for (const std::uint32_t code : labels.list(r)) all.push_back(labels.table()[code]);
  return all;
}

/// Lines of one label that take some blocks of text.
std::string many_lines(const char* label) {
  std::string text;
  while (text.size() < (std::size_t{5} << 19)) text += std::string(label) + " 1:0.123456 7:1234567 9:0.7654321\n";
  return text;
}

TEST(label_lists_of_text, are_read_in_ascending_order_and_single_labels_are_lists_of_one) {
  const libsvm_rows rows = parse_libsvm("17,3,5 1:0.5 2:1\n4 1:2\r\n\n-2,+9\n1e2,0 3:1 # x\n7\n");
  const label_column labels = rows.view().label;
  ASSERT_TRUE(labels.lists());
  ASSERT_EQ(labels.size(), 5u);
  EXPECT_THAT(labels_in(labels, 0), ElementsAre(3, 5, 17));
  EXPECT_THAT(labels_in(labels, 1), ElementsAre(4));
  EXPECT_THAT(labels_in(labels, 2), ElementsAre(-2, 9));
  EXPECT_THAT(labels_in(labels, 3), ElementsAre(0, 100));
  EXPECT_THAT(labels_in(labels, 4), ElementsAre(7));
  EXPECT_THAT(rows.label, ElementsAre(3, 4, -2, 0, 7));
  EXPECT_THAT(rows.row_start, ElementsAre(0, 2, 3, 3, 4, 4));
}

TEST(label_lists_of_text, are_empty_where_a_row_has_no_label_and_others_have_lists) {
  const std::string one = many_lines("1");
  for (const std::string& text :
       {std::string(" 1:1\n3,5 2:1\n7:1\n4 1:1\n 9:1\n"), "  1:1\n" + one + "3,5 1:1\n 2:1\n"}) {
    const libsvm_rows rows = parse_libsvm(text);
    const label_column labels = rows.view().label;
    ASSERT_TRUE(labels.lists());
    EXPECT_THAT(labels_in(labels, 0), ElementsAre());
    EXPECT_THAT(labels_in(labels, labels.size() - 1), ElementsAre());
    EXPECT_TRUE(labels[labels.size() - 1] == 1 || labels[labels.size() - 1] == 3) << "a label of the table";
    std::ostringstream out;
    write_libsvm(out, rows.view());
    EXPECT_EQ(parse_libsvm(out.str()).lists.start, rows.lists.start);
  }
  for (const char* const text : {"1 1:1\n 1:1\n", " 1:1\n1 1:1\n", "1:1\n"})
    EXPECT_THAT(message_of<format_error>([&] { parse_libsvm(text); }), HasSubstr("may a row have no label"));
}

TEST(label_lists_of_text, stay_away_where_every_row_has_one_label) {
  EXPECT_FALSE(parse_libsvm("1 1:1\n0.25 1:2\n").view().label.lists());
}

TEST(label_lists_of_text, come_back_as_they_were_written) {
  const std::string text = "3,5,17 1:0.5 2:1\n4 1:2\n-2,9\n";
  std::ostringstream out;
  write_libsvm(out, parse_libsvm(text).view());
  EXPECT_EQ(out.str(), text);
}

TEST(label_lists_of_text, are_refused_with_line_and_column_where_they_are_none) {
  const scratch_folder folder;
  for (const faulty_text& bad :
       {faulty_text{"1 1:1\n3,,5 1:1\n", 2, 3, "'3,,5' has an empty item; write '3,17,5'"},
        faulty_text{"3,5, 1:1\n", 1, 5, "empty item"}, faulty_text{"  ,3 1:1\n", 1, 3, "empty item"},
        faulty_text{",\n", 1, 1, "empty item"}, faulty_text{"3, 5 1:1\n", 1, 3, "no blank between labels"},
        faulty_text{"3,5,3 1:1\n", 1, 5, "label '3' stands twice in this list"},
        faulty_text{"4,3,+3,4 1:1\n", 1, 5, "label '+3' stands twice"}, faulty_text{"0,-0\n", 1, 3, "stands twice"},
        faulty_text{"3,0.5 1:1\n", 1, 3, "label '0.5' stands in a list, whose labels are classes"},
        faulty_text{"3,x 1:1\n", 1, 3, "label 'x' stands in a list"},
        faulty_text{"nan,3 1:1\n", 1, 1, "label 'nan' stands in a list"},
        faulty_text{"3,1e999 1:1\n", 1, 3, "label '1e999'"}, faulty_text{"3,5:1 2:1\n", 1, 1, "not with a label"},
        faulty_text{"3,5 1\n", 1, 5, "no ':'"},
        // Numbers that are no classes, before and after the list.
        faulty_text{"1 1:1\n# 0.5\n 0.25 1:2\n\n3,4 1:1\n", 3, 2,
                    "label '0.25' is no whole number, but line 5 has a list of labels"},
        faulty_text{"3,4 1:1\n1\n-1.5 1:1\n", 3, 1, "label '-1.5' is no whole number, but line 1"}}) {
    expect_refused(bad, [&] { parse_libsvm(bad.text, "data.svm"); });
    const std::string path = folder.write("data.svm", bad.text);
    expect_refused(bad, [&] { open_libsvm(path); });
  }
}

TEST(label_lists_of_text, and_numbers_are_told_apart_across_the_blocks_of_a_text) {
  const scratch_folder folder;
  const std::string lines = many_lines("1");
  const auto count = static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '\n'));
  for (const faulty_text& bad : {faulty_text{"0.5 1:1\n" + lines + "3,4\n", 1, 1, "is no whole number"},
                                 faulty_text{"3,4 1:1\n" + lines + "0.5\n", count + 2, 1, "but line 1 has a list"}}) {
    expect_refused(bad, [&] { parse_libsvm(bad.text, "data.svm"); });
    const std::string path = folder.write("data.svm", bad.text);
    expect_refused(bad, [&] { open_libsvm(path); });
  }
}

TEST(label_lists_of_text, reach_across_its_blocks) {
  const std::string lines = many_lines("1");
  const libsvm_rows rows = parse_libsvm(lines + "3,4\n" + lines + "5,1\n");
  const label_column labels = rows.view().label;
  ASSERT_EQ(labels.size(), rows.label.size());
  const std::size_t half = (labels.size() - 2) / 2;
  EXPECT_THAT(labels_in(labels, 0), ElementsAre(1));
  EXPECT_THAT(labels_in(labels, half), ElementsAre(3, 4));
  EXPECT_THAT(labels_in(labels, labels.size() - 2), ElementsAre(1));
  EXPECT_THAT(labels_in(labels, labels.size() - 1), ElementsAre(1, 5));
}

TEST(label_lists_of_text, are_for_rows_of_features_alone) {
  const scratch_folder folder;
  EXPECT_THROW(open_libffm(folder.write("data.ffm", "1,2 1:1:1\n0 1:2:1\n")), format_error);
}

/// Some hundred rows: row n has column n + 1, and these labels.
std::vector<double> labels_of_row(std::size_t n) {
  if (n % 13 == 0) return {};  // including the first and the last row
  std::set<double> all{static_cast<double>(n % 7)};
  if (n % 3 == 0) all.insert(static_cast<double>(1000 + n));
  if (n % 5 == 0) all.insert(static_cast<double>(n % 11));
  return {all.begin(), all.end()};
}
std::string listed_text(std::size_t rows) {
  std::string text;
  for (std::size_t n = 0; n < rows; ++n) {
    std::string list;
    for (const double label : labels_of_row(n)) list += (list.empty() ? "" : ",") + std::to_string(int(label));
    text += list + " " + std::to_string(n + 1) + ":0.5\n";
  }
  return text;
}
void expect_listed_rows(const sparse_view& rows, const std::function<std::uint32_t(std::uint32_t)>& original) {
  ASSERT_TRUE(rows.label.lists());
  row_cursor cursor(rows);
  for (std::size_t r = 0; r < rows.rows(); ++r)
    ASSERT_EQ(labels_in(rows.label, r), labels_of_row(original(cursor.row(r).index[0]) - 1)) << r;
}
std::uint32_t version_of(const std::string& cache) {
  std::uint32_t version = 0;
  std::memcpy(&version, cache.data() + offsetof(detail::cache_header, version), sizeof version);
  return version;
}

TEST(label_lists_of_datasets, go_with_their_rows_and_into_the_cache) {
  const scratch_folder folder;
  const std::string source = folder.write("rows.svm", listed_text(700));
  for (const bool from_cache : {false, true}) {
    const sparse_dataset data = open_libsvm(source);
    EXPECT_EQ(data.from_cache(), from_cache);
    data.verify();
    const auto original = [&](std::uint32_t j) { return data.original(j); };
    ASSERT_EQ(data.rows(), 700u);
    expect_listed_rows(data.view(), original);
    expect_listed_rows(data.view().slice(100, 300), original);
    expect_listed_rows(sparse_dataset::copy_of(data.view()).view(), original);
    expect_listed_rows(sparse_dataset::copy_of(data.view().slice(50, 90)).view(), original);
    expect_listed_rows(sparse_dataset::map(data.shared_path()).view(), original);
  }
  EXPECT_EQ(version_of(test::read_text(source + ".hogwild")), 6u);
}

TEST(label_lists_of_datasets, leave_the_version_of_other_caches_alone) {
  const scratch_folder folder;
  const std::string source = folder.write("rows.svm", "1 1:1\n0 2:1\n");
  open_libsvm(source);
  EXPECT_EQ(version_of(test::read_text(source + ".hogwild")), 5u);
}

TEST(label_lists_of_datasets, of_wide_data_and_of_rows_read_through_a_numbering) {
  const scratch_folder folder;
  const sparse_dataset training = open_libsvm(folder.write("rows.svm", listed_text(70'000)));
  EXPECT_FALSE(training.view().has_narrow_index());
  expect_listed_rows(training.view(), [&](std::uint32_t j) { return training.original(j); });
  open_options through;
  through.numbering = &training.numbering();
  through.labels_optional = true;
  const sparse_dataset other = open_libsvm(folder.write("test.svm", "5,3 1:1\n1:1 2:1\n8 3:1\n"), through);
  const label_column labels = other.view().label;
  EXPECT_THAT(labels_in(labels, 0), ElementsAre(3, 5));
  EXPECT_THAT(labels_in(labels, 1), ElementsAre(0));  // none was given
  EXPECT_THAT(labels_in(labels, 2), ElementsAre(8));
}

}  // namespace
}  // namespace hogwild
