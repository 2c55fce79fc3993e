// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/advise.hpp>

#include <algorithm>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "support/fresh_seed.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;

namespace {

/// Each row meets itself, as in the paper's definition.
std::vector<std::size_t> meetings_of_all(const test::toy_rows& toy) {
  std::vector<std::set<std::uint32_t>> columns(toy.rows());
  for (std::size_t r = 0; r < toy.rows(); ++r)
    columns[r] = {toy.index.begin() + static_cast<std::ptrdiff_t>(toy.row_start[r]),
                  toy.index.begin() + static_cast<std::ptrdiff_t>(toy.row_start[r + 1])};
  std::vector<std::size_t> met(toy.rows());
  for (std::size_t a = 0; a < toy.rows(); ++a)
    for (std::size_t b = 0; b < toy.rows(); ++b)
      met[a] += std::ranges::any_of(columns[a], [&](std::uint32_t j) { return columns[b].contains(j); });
  return met;
}

struct random_row_meetings : test::fresh_seed<> {};

TEST_F(random_row_meetings, of_few_rows_are_those_that_are_counted_one_by_one) {
  // If there are up to 32 rows, all are looked at.
  const test::toy_rows toy =
      test::planted_rows({.rows = 1 + seed % 32, .columns = 60, .per_row = 2 + seed % 4, .seed = seed});
  const row_meetings found = measure_meetings(toy.csr().view());
  const std::vector<std::size_t> met = meetings_of_all(toy);
  const auto rows = static_cast<double>(toy.rows());
  double sum = 0.0;
  for (const std::size_t n : met) sum += static_cast<double>(n);
  EXPECT_EQ(found.omega, 2 + seed % 4);
  EXPECT_DOUBLE_EQ(found.rho, static_cast<double>(*std::ranges::max_element(met)) / rows);
  EXPECT_DOUBLE_EQ(found.conflict_rate, sum / (rows * rows));
  EXPECT_EQ(found.error, 0.0);
}

// Rows with a column of their own, except every tenth, which share one: 0.1 for those, 0 for others.
TEST(row_meetings, of_many_rows_are_within_the_error_that_is_told) {
  test::toy_rows toy;
  toy.columns = 20'001;
  for (std::uint32_t r = 0; r < 20'000; ++r) toy.push({r % 10 == 3 ? 20'000u : r}, {1.0f}, 0.0f);
  const row_meetings found = measure_meetings(toy.csr().view());
  EXPECT_EQ(found.omega, 1u);
  EXPECT_DOUBLE_EQ(found.delta, 0.1);
  EXPECT_GT(found.error, 0.0);
  EXPECT_LT(found.error, 0.05);
  EXPECT_NEAR(found.rho, 0.1, found.error);
  EXPECT_NEAR(found.conflict_rate, 0.01, found.error);
  EXPECT_EQ(found.compared_with, 4096u);
}

TEST(row_meetings, of_empty_rows_are_none) {
  test::toy_rows toy;
  toy.columns = 1;
  toy.push({}, {}, 0.0f);
  const row_meetings found = measure_meetings(toy.csr().view());
  EXPECT_EQ(found.omega, 0u);
  EXPECT_EQ(found.delta, 0.0);
  EXPECT_EQ(found.rho, 0.0);
}

}  // namespace
