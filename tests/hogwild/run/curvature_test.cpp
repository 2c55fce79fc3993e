// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/curvature.hpp>

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include <hogwild/detail/loop/margin_loss.hpp>
#include <hogwild/models/hinge_svm.hpp>
#include <hogwild/models/huber.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/models/logistic.hpp>

#include "support/toy_data.hpp"

using namespace hogwild;

namespace {

TEST(smoothness, of_the_four_margin_losses) {
  EXPECT_NEAR(smoothness(margin_loss(logistic{})), 0.25, 0.01);  // the derivative rises by tanh(1/4) = 0.245 at most
  EXPECT_NEAR(smoothness(margin_loss(hinge_svm{})), 1.0, 1e-6);
  EXPECT_NEAR(smoothness(margin_loss(least_squares{})), 1.0, 1e-6);
  EXPECT_NEAR(smoothness(margin_loss(huber{})), 1.0, 1e-6);
  EXPECT_NEAR(smoothness(margin_loss(huber{.delta = 0.25f})), 0.5, 1e-6);  // from -delta to delta at most
}

TEST(largest_eigenvalue, of_a_diagonal_matrix_is_its_largest_entry) {
  // Row r has the one value in column r: X'X / n = diag(4, 1, 1/4) / 3.
  test::toy_rows toy;
  toy.columns = 3;
  toy.push({0}, {2.0f}, 0.0f);
  toy.push({1}, {1.0f}, 0.0f);
  toy.push({2}, {0.5f}, 0.0f);
  EXPECT_NEAR(largest_eigenvalue(toy.csr().view()), 4.0 / 3.0, 1e-6);
  // Weights multiply the squares of their rows: diag(4, 8, 1/2) / 3.
  const csr_rows rows = toy.csr();
  const std::array<float, 3> weights{1.0f, 8.0f, 2.0f};
  sparse_view weighted = rows.view();
  weighted.weight = weights;
  EXPECT_NEAR(largest_eigenvalue(weighted), 8.0 / 3.0, 1e-6);
}

TEST(largest_eigenvalue, of_equal_rows_is_their_squared_length) {
  test::toy_rows toy;
  toy.columns = 4;
  for (int r = 0; r < 50; ++r) toy.push({0, 2, 3}, {1.0f, 2.0f, -2.0f}, 0.0f);
  EXPECT_NEAR(largest_eigenvalue(toy.csr().view()), 9.0, 1e-5);
}

TEST(largest_eigenvalue, of_rows_that_sum_to_zero_is_found_too) {
  // The constant vector is orthogonal to all of them.
  test::toy_rows toy;
  toy.columns = 2;
  for (int r = 0; r < 10; ++r) toy.push({0, 1}, {1.0f, -1.0f}, 0.0f);
  EXPECT_NEAR(largest_eigenvalue(toy.csr().view()), 2.0, 1e-6);
}

TEST(largest_eigenvalue, of_a_rotated_spectrum) {
  // Two rows along (3, 4) / 5 and (4, -3) / 5, of lengths 5 and 2: X'X / 2 has the eigenvalues 25 / 2 and 4 / 2.
  test::toy_rows toy;
  toy.columns = 2;
  toy.push({0, 1}, {3.0f, 4.0f}, 0.0f);
  toy.push({0, 1}, {1.6f, -1.2f}, 0.0f);
  EXPECT_NEAR(largest_eigenvalue(toy.csr().view()), 12.5, 1e-4);
}

TEST(largest_eigenvalue, counts_a_bias_as_a_column_of_one_value) {
  // Equal rows of squared length 9, with the bias 10; with unrelated values of both signs, 1.
  test::toy_rows equal;
  equal.columns = 2;
  for (int r = 0; r < 20; ++r) equal.push({0, 1}, {1.0f, std::sqrt(8.0f)}, 0.0f);
  EXPECT_NEAR(largest_eigenvalue(equal.csr().view(), 1.0), 10.0, 1e-4);
  EXPECT_NEAR(largest_eigenvalue(equal.csr().view(), 0.25), 9.25, 1e-4);
  const auto planted = test::planted_rows({.rows = 2'000, .columns = 20});
  EXPECT_LT(largest_eigenvalue(planted.csr().view()), 0.1);
  EXPECT_NEAR(largest_eigenvalue(planted.csr().view(), 1.0), 1.0, 0.02);
}

TEST(squares_of_entries, are_of_entries_other_than_zero_and_of_rows) {
  test::toy_rows toy;
  toy.columns = 3;
  toy.push({0, 1, 2}, {3.0f, 0.0f, 1.0f}, 0.0f);
  toy.push({2}, {-2.0f}, 0.0f);
  const entry_squares squares = squares_of_entries(toy.csr().view());
  EXPECT_DOUBLE_EQ(squares.of_entry(), 14.0 / 3.0);
  EXPECT_DOUBLE_EQ(squares.of_row(), 7.0);
  EXPECT_DOUBLE_EQ(usual_l2(squares, 2), 3.5);
  // With less than one entry a row, a step by the entries alone would move the bias, which all rows have, too far.
  for (int r = 0; r < 8; ++r) toy.push({}, {}, 0.0f);
  EXPECT_DOUBLE_EQ(squares_of_entries(toy.csr().view()).of_entry(), 1.4);
}

TEST(squares_of_entries, of_rows_without_any_are_zero) {
  test::toy_rows empty_rows;
  empty_rows.columns = 1;
  empty_rows.push({}, {}, 0.0f);
  const entry_squares squares = squares_of_entries(empty_rows.csr().view());
  EXPECT_EQ(squares.of_entry(), 0.0);
  EXPECT_EQ(usual_l2(squares, 4), 0.25);
}

TEST(largest_eigenvalue, of_nothing_is_zero) {
  test::toy_rows empty_rows;
  empty_rows.columns = 3;
  for (int r = 0; r < 3; ++r) empty_rows.push({}, {}, 0.0f);
  EXPECT_EQ(largest_eigenvalue(empty_rows.csr().view()), 0.0);
  test::toy_rows zeros;
  zeros.columns = 2;
  zeros.push({0, 1}, {0.0f, 0.0f}, 0.0f);
  EXPECT_EQ(largest_eigenvalue(zeros.csr().view()), 0.0);
}

TEST(largest_eigenvalue, looks_at_a_sample_of_long_data) {
  // 100,000 rows of 10 entries: a tenth of them is examined, with the same result.
  const test::kept_rows data = test::planted_rows({.rows = 100'000, .columns = 50, .per_row = 10});
  const double part = largest_eigenvalue(data.view()), first = largest_eigenvalue(data.view().slice(0, 2'000));
  EXPECT_EQ(part, first);
}

}  // namespace
