// SPDX-License-Identifier: Apache-2.0
#include "data/column_table.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <vector>

#include <hogwild/detail/math/random.hpp>

namespace hogwild::detail {
namespace {

std::map<std::uint32_t, std::uint32_t> counts_in(const column_table& table) {
  std::map<std::uint32_t, std::uint32_t> counts;
  table.for_each([&](std::uint32_t column, std::uint32_t count) { EXPECT_TRUE(counts.emplace(column, count).second); });
  return counts;
}

TEST(column_table, counts_as_a_map_does_however_far_apart_columns_are) {
  const counter_random random(3, 0);
  for (const std::uint64_t columns : {10u, 5000u, 4'294'967'294u}) {
    column_table table;
    std::map<std::uint32_t, std::uint32_t> expected;
    std::uint64_t n = 0;
    for (int block = 0; block < 50; ++block) {
      std::vector<std::uint32_t> entries(random.below(n++, 400));
      for (auto& column : entries) ++expected[column = static_cast<std::uint32_t>(random.below(n++, columns))];
      table.count(entries);
    }
    EXPECT_EQ(counts_in(table), expected) << columns;
    for (const auto& [column, count] : expected) EXPECT_EQ(table[column], count);
  }
}

TEST(column_table, goes_over_to_a_small_table_where_the_array_would_be_large) {
  column_table table;
  const std::vector<std::uint32_t> near{0, 1, 1, 7}, far{4'294'967'293u, 1};
  table.count(near);
  table.count(far);
  EXPECT_LT(table.bytes(), 100'000u);
  EXPECT_EQ(counts_in(table), (std::map<std::uint32_t, std::uint32_t>{{0, 1}, {1, 3}, {7, 1}, {4'294'967'293u, 1}}));
  column_table bounded(40'000);
  const std::vector<std::uint32_t> close{0, 10'000, 10'000};
  bounded.count(close);
  EXPECT_LT(bounded.bytes(), 40'000u);
  EXPECT_EQ(bounded[10'000], 2u);
}

TEST(column_table, adds_the_counts_of_another_and_looks_numbers_up) {
  const std::vector<std::uint32_t> near{0, 1, 1, 7}, far{4'294'967'293u, 1}, wider{9, 9};
  for (const auto& first : {near, far}) {
    for (const auto& second : {near, far, wider}) {
      column_table sum, other;
      sum.count(first), other.count(second);
      sum.add(other);
      std::map<std::uint32_t, std::uint32_t> expected;
      for (const auto* const each : {&first, &second})
        for (const std::uint32_t column : *each) ++expected[column];
      EXPECT_EQ(counts_in(sum), expected);
      std::vector<std::uint32_t> columns(first);
      sum.look_up(columns);
      for (std::size_t k = 0; k < first.size(); ++k) EXPECT_EQ(columns[k], expected[first[k]]);
    }
  }
}

TEST(column_table, takes_other_numbers_instead_of_counts) {
  column_table table;
  const std::vector<std::uint32_t> entries{4'000'000'000u, 3, 3};
  table.count(entries);
  table[3] = 0, table[4'000'000'000u] = 1;
  EXPECT_EQ(table[3], 0u);
  EXPECT_EQ(table[4'000'000'000u], 1u);
}

}  // namespace
}  // namespace hogwild::detail
