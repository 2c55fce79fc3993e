// SPDX-License-Identifier: Apache-2.0
#include <hogwild/rows.hpp>

#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/error.hpp>

#include "data/row_shuffle.hpp"
#include "support/refusals.hpp"

using namespace hogwild;
using testing::ElementsAre;
using testing::ElementsAreArray;

namespace {

/// Three rows of two columns, two numbers apart in `wide`.
struct dense : testing::Test {
  std::vector<float> value{1, 2, 3, 4, 5, 6};
  std::vector<double> wide{1, 2, 0, 0, 3, 4, 0, 0, 5, 6};
  std::vector<int> label{-1, 1, 1};

  static std::vector<float> rows_of(const dense_rows& rows) {
    std::vector<float> all;
    row_cursor cursor(rows.view());
    for (std::size_t r = 0; r < rows.rows(); ++r) {
      const auto z = cursor.row(r);
      EXPECT_THAT(z.index, ElementsAre(0, 1));
      all.insert(all.end(), z.value.begin(), z.value.end());
    }
    return all;
  }
  std::string refusal(real_numbers values, std::size_t columns, const dense_options& options) const {
    return test::message_of<input_error>([&] { (void)dense_rows(values, label, columns, options); });
  }
};

TEST_F(dense, rows_in_the_order_given_are_borrowed) {
  const dense_rows rows(value, label, 2, {.shuffle = false});
  EXPECT_EQ(rows.view().value.data(), value.data());
  EXPECT_THAT(rows_of(rows), ElementsAreArray(value));
  EXPECT_THAT(rows.view().label, ElementsAre(-1, 1, 1));
  EXPECT_EQ(rows.view().nonzeros(), 6u);
  EXPECT_EQ(rows.features(), 2u);
  EXPECT_TRUE(rows.view().id.empty());
}

TEST_F(dense, a_slice_has_its_own_rows) {
  const dense_rows rows(value, label, 2, {.shuffle = false});
  const sparse_view part = rows.view().slice(1, 3).slice(1, 2);
  EXPECT_EQ(part.nonzeros(), 2u);
  EXPECT_THAT(row_cursor(part).row(0).value, ElementsAre(5, 6));
}

TEST_F(dense, rows_of_doubles_and_with_gaps_are_copied) {
  EXPECT_THAT(rows_of({wide, label, 2, {.stride = 4, .shuffle = false}}), ElementsAreArray(value));
  const std::vector<float> narrow(wide.begin(), wide.end());
  EXPECT_THAT(rows_of({narrow, label, 2, {.stride = 4, .shuffle = false}}), ElementsAreArray(value));
}

TEST_F(dense, columns_lie_one_after_the_other) {
  const std::vector<double> by_columns{1, 3, 5, 0, 2, 4, 6};  // with a gap between the two
  EXPECT_THAT(rows_of({by_columns, label, 2, {.stride = 1, .column_stride = 4, .shuffle = false}}),
              ElementsAreArray(value));
  // More rows than are taken at once, shuffled: the same as row by row.
  std::vector<float> many(400), turned(400);
  for (std::size_t k = 0; k < many.size(); ++k) many[k] = turned[k % 2 * 200 + k / 2] = static_cast<float>(k);
  const std::vector<int> labels(200, 1);
  EXPECT_EQ(rows_of({turned, labels, 2, {.stride = 1, .column_stride = 200}}), rows_of({many, labels, 2}));
}

TEST_F(dense, rows_are_shuffled_as_those_of_a_file) {
  std::vector<float> many(200);
  for (std::size_t k = 0; k < many.size(); ++k) many[k] = static_cast<float>(k);
  const std::vector<float> first(many.begin(), many.begin() + 100);
  dense_rows rows(many, first, 2);
  rows.set_weights(first);
  rows.set_offsets(first);
  const std::vector<std::uint32_t> order = detail::shuffled_rows(100);
  const sparse_view view = rows.view();
  row_cursor cursor(view);
  for (std::size_t r = 0; r < 100; ++r) {
    const auto z = cursor.row(r);
    const auto number = static_cast<float>(order[r]);
    EXPECT_THAT(z.value, ElementsAre(2 * number, 2 * number + 1));
    EXPECT_EQ(z.label, number);
    EXPECT_EQ(z.weight, number);
    EXPECT_EQ(z.offset, number);
    EXPECT_EQ(z.id, order[r]);
  }
}

TEST_F(dense, rows_become_sparse_where_they_are_copied) {
  const dense_rows rows(value, label, 2, {.shuffle = false});
  const sparse_dataset copy = sparse_dataset::copy_of(rows.view().slice(1, 3));
  EXPECT_EQ(copy.nonzeros(), 4u);
  EXPECT_FALSE(copy.view().dense);
  EXPECT_THAT(row_cursor(copy.view()).row(1).value, ElementsAre(5, 6));
}

TEST_F(dense, sizes_that_do_not_fit_are_refused) {
  EXPECT_EQ(refusal(value, 2, {}), "accepted");
  EXPECT_EQ(refusal(value, 3, {}),
            "the dense rows: value has 6 numbers, too few for 3 rows of 3 columns, one every 3 numbers");
  EXPECT_EQ(refusal(value, 1, {}),
            "the dense rows: value has 6 numbers, and label tells of 3 rows of 1 columns; sizes do not fit");
  EXPECT_EQ(refusal(value, 2, {.stride = 1}),
            "the dense rows: stride is 1, less than the 2 columns of a row; rows would overlap");
  EXPECT_EQ(refusal(wide, 2, {.stride = 5}),
            "the dense rows: value has 10 numbers, too few for 3 rows of 2 columns, one every 5 numbers");
  EXPECT_EQ(refusal(value, 2, {.stride = 2, .column_stride = 4}),
            "the dense rows: stride is 2 and column_stride 4; 3 rows of 2 columns would overlap");
  EXPECT_EQ(refusal(value, 2, {.column_stride = 0}),
            "the dense rows: stride is 2 and column_stride 0; 3 rows of 2 columns would overlap");
  EXPECT_EQ(refusal(value, 2, {.stride = 1, .column_stride = 4}),
            "the dense rows: value has 6 numbers, too few for 3 rows of 2 columns, rows 1 apart and columns 4 "
            "apart");
  EXPECT_EQ(refusal(value, 0, {}), "the dense rows: there are 0 columns; there may be 1 to 4294967294");
  label.clear();
  EXPECT_EQ(refusal({}, 2, {}), "the dense rows: there are no labels, so no rows; give one label a row");
}

TEST_F(dense, numbers_that_are_none_are_refused) {
  wide[5] = 1e39;
  EXPECT_EQ(refusal(wide, 2, {.stride = 4}),
            "the dense rows: value[5], in row 2, is no finite number of single precision; leave the row out");
  wide[5] = 4, wide[6] = std::nan("");  // in a gap
  EXPECT_EQ(refusal(wide, 2, {.stride = 4}), "accepted");
  dense_rows rows(value, label, 2);
  EXPECT_THROW(rows.set_weights(std::vector<float>{1, 2}), input_error);
  EXPECT_THROW(rows.set_weights(std::vector<float>{0, 0, 0}), input_error);
  EXPECT_THROW(rows.set_offsets(std::vector<float>{0, INFINITY, 0}), input_error);
}

}  // namespace
