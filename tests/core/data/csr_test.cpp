// SPDX-License-Identifier: Apache-2.0
#include <hogwild/dataset.hpp>
#include <hogwild/detail/data/row_cursor.hpp>

#include <array>
#include <cmath>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/error.hpp>

#include "support/refusals.hpp"

using namespace hogwild;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

struct csr : testing::Test {
  std::vector<std::uint64_t> row_start{0, 2, 2, 5};
  std::vector<std::uint32_t> index{0, 3, 1, 2, 3};
  std::vector<float> value{1, 2, 3, 4, 5};
  std::vector<float> label{-1, 1, 0.5f};

  csr_rows rows() const { return {row_start, index, value, label, 4}; }
  std::string refusal() const {
    return test::message_of<input_error>([&] { (void)rows(); });
  }
};

TEST_F(csr, shows_the_rows_as_given) {
  const csr_rows data = rows();
  const sparse_view view = data.view();
  EXPECT_EQ(data.features(), 4u);
  EXPECT_EQ(view.rows(), 3u);
  EXPECT_EQ(view.nonzeros(), 5u);
  EXPECT_EQ(view.columns, 4u);
  EXPECT_THAT(view.label, ElementsAre(-1.0, 1.0, 0.5));
  row_cursor cursor(view);
  EXPECT_EQ(cursor.row(1).size(), 0u);
  const sparse_row<float> last = cursor.row(2);
  EXPECT_THAT(last.index, ElementsAre(1, 2, 3));
  EXPECT_THAT(last.value, ElementsAre(3, 4, 5));
  EXPECT_EQ(last.label, 0.5f);
}

TEST_F(csr, a_slice_keeps_its_rows_and_knows_where_it_begins) {
  const csr_rows data = rows();
  const sparse_view part = data.view().slice(1, 3).slice(1, 2);
  EXPECT_EQ(part.rows(), 1u);
  EXPECT_EQ(part.nonzeros(), 3u);
  EXPECT_EQ(part.first_row, 2u);
  EXPECT_THAT(row_cursor(part).row(0).value, ElementsAre(3, 4, 5));
  EXPECT_EQ(data.view().slice(2, 2).nonzeros(), 0u);
}

TEST_F(csr, labels_are_its_own) {
  const csr_rows data = rows();
  label[0] = 99;
  EXPECT_EQ(data.view().label[0], -1.0);
}

TEST_F(csr, accepts_no_rows_at_all) {
  row_start = {0};
  index.clear(), value.clear(), label.clear();
  EXPECT_EQ(rows().view().rows(), 0u);
  EXPECT_EQ(rows().view().nonzeros(), 0u);
}

TEST_F(csr, refuses_a_row_start_of_the_wrong_length_or_empty) {
  label.push_back(1);
  EXPECT_THAT(refusal(), HasSubstr("row_start"));
  row_start.clear(), label.clear();
  EXPECT_THAT(refusal(), HasSubstr("row_start"));
}

TEST_F(csr, refuses_columns_without_values) {
  value.pop_back();
  EXPECT_THAT(refusal(), HasSubstr("values"));
}

TEST_F(csr, refuses_starts_that_fall_do_not_begin_at_0_or_miss_the_end) {
  for (const std::vector<std::uint64_t>& bad : {std::vector<std::uint64_t>{0, 3, 2, 5}, {1, 2, 2, 5}, {0, 2, 2, 4}}) {
    row_start = bad;
    EXPECT_THAT(refusal(), HasSubstr("must rise from 0"));
  }
  row_start = {0, 2, 1, 5};
  EXPECT_THAT(refusal(), HasSubstr("but row_start[2] is 1 after 2"));
}

TEST_F(csr, borrows_numbers_with_a_sign_and_of_32_bits) {
  const std::vector<std::int32_t> start(row_start.begin(), row_start.end()), columns(index.begin(), index.end());
  const std::vector<std::int64_t> wide(row_start.begin(), row_start.end());
  const csr_rows narrow(start, columns, value, label, 4), both(wide, index, value, label, 4);
  EXPECT_EQ(static_cast<const void*>(narrow.view().row_start.narrow().data()), start.data());
  EXPECT_EQ(static_cast<const void*>(narrow.view().index.data()), columns.data());
  EXPECT_EQ(static_cast<const void*>(both.view().row_start.wide().data()), wide.data());
  EXPECT_THAT(row_cursor(narrow.view()).row(2).index, ElementsAre(1, 2, 3));
  const std::vector<std::int32_t> negative{0, -2, 2, 5};
  EXPECT_THROW(csr_rows(negative, columns, value, label, 4), input_error);
}

TEST_F(csr, takes_lists_of_labels) {
  const std::vector<std::uint64_t> start{0, 2, 3, 6};
  const std::vector<float> labels{9, 4, 4, 7, -0.0f, 9};
  const csr_rows data(row_start, index, value, start, labels, 4);
  const label_column column = data.view().label;
  ASSERT_TRUE(column.lists());
  EXPECT_EQ(data.view().rows(), 3u);
  EXPECT_THAT(column.table(), ElementsAre(0, 4, 7, 9));
  EXPECT_THAT(column.list(0), ElementsAre(1, 3));
  EXPECT_THAT(column.list(1), ElementsAre(1));
  EXPECT_THAT(column.list(2), ElementsAre(0, 2, 3));
  EXPECT_THAT(std::vector<double>(column.begin(), column.end()), ElementsAre(4, 4, 0));
  EXPECT_THAT(column.subspan(1, 2).list(1), ElementsAre(0, 2, 3));
  EXPECT_FALSE(rows().view().label.lists());
}

TEST_F(csr, refuses_lists_that_are_none) {
  const auto refused = [&](const std::vector<std::uint64_t>& start, const std::vector<float>& labels) {
    return test::message_of<input_error>([&] { csr_rows(row_start, index, value, start, labels, 4); });
  };
  EXPECT_EQ(refused({0, 1, 2, 3}, {1, 2, 3}), "accepted");
  EXPECT_THAT(refused({0, 1, 1, 3}, {1, 2, 3}), HasSubstr("row 2 is empty"));
  EXPECT_THAT(refused({0, 2, 3, 5}, {1, 2, 3, 4, 4}), HasSubstr("row 3 names a label twice"));
  EXPECT_THAT(refused({0, 1, 2, 3}, {1, 2.5f, 3}), HasSubstr("row 2 holds a label that is no whole number"));
  EXPECT_THAT(refused({0, 1, 2, 3}, {1, 2, HUGE_VALF}), HasSubstr("row 3 holds"));
  EXPECT_THAT(refused({0, 1, 2, 4}, {1, 2, 3}), HasSubstr("label_start must rise"));
  EXPECT_THAT(refused({0, 2, 1, 3}, {1, 2, 3}), HasSubstr("label_start must rise"));
  EXPECT_THAT(refused({}, {}), HasSubstr("label_start must rise"));
  EXPECT_THAT(refused({0, 1, 2}, {1, 2}), HasSubstr("one entry more than there are labels"));
}

}  // namespace
