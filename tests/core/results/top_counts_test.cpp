// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/results/top_counts.hpp>

#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

namespace {

using namespace hogwild;

using items = std::vector<std::uint32_t>;

TEST(top_counts, measures_are_those_of_two_lists_worked_out_by_hand) {
  // The first user wants 3 items, of which places 1 and 3 show two; the second wants one that the list does not have.
  top_counts counts(50);
  // Item 40 has place 6 of 48 candidates, 30 the places 3 and 4 of 11 together with another one.
  counts.add(items{7, 1, 3, 9}, items{3, 7, 40}, 0 + 2 + 5, 48);
  counts.add(items{2, 1}, items{30}, 2.5, 11);
  counts.add(items{2, 1}, items{}, 0, 50);  // wants nothing: not a user
  measurement m;
  counts.measure(m);
  EXPECT_DOUBLE_EQ(m.recall_at_20.value(), 2.0 / 3 / 2);
  EXPECT_DOUBLE_EQ(m.precision_at_20.value(), 2.0 / 20 / 2);
  EXPECT_DOUBLE_EQ(m.hit_rate_at_20.value(), 0.5);
  EXPECT_DOUBLE_EQ(m.mrr_at_20.value(), 0.5);
  EXPECT_DOUBLE_EQ(m.map_at_20.value(), (1.0 + 2.0 / 3) / 3 / 2);
  const double ideal = 1 + 1 / std::log2(3.0) + 0.5;
  EXPECT_DOUBLE_EQ(m.ndcg_at_20.value(), (1 + 0.5) / ideal / 2);
  EXPECT_DOUBLE_EQ(m.coverage_at_20.value(), 5.0 / 50);
  EXPECT_DOUBLE_EQ(m.auc.value(), (1 - 4.0 / (3 * 45) + 1 - 2.5 / 10) / 2);
}

TEST(top_counts, a_user_who_wants_more_than_twenty_items_can_have_a_perfect_list) {
  items all(20), wanted(35);
  std::iota(all.begin(), all.end(), 0u);
  std::iota(wanted.begin(), wanted.end(), 0u);
  top_counts counts(100);
  counts.add(all, wanted, 35.0 * 34 / 2, 100);
  measurement m;
  counts.measure(m);
  EXPECT_DOUBLE_EQ(m.ndcg_at_20.value(), 1.0);
  EXPECT_DOUBLE_EQ(m.map_at_20.value(), 1.0);
  EXPECT_DOUBLE_EQ(m.precision_at_20.value(), 1.0);
  EXPECT_DOUBLE_EQ(m.recall_at_20.value(), 20.0 / 35);
  EXPECT_DOUBLE_EQ(m.auc.value(), 1.0);
}

TEST(top_counts, without_users_there_are_no_measures) {
  measurement m;
  top_counts(5).measure(m);
  place_counts().measure(m);
  EXPECT_EQ(m.recall_at_20, std::nullopt);
  EXPECT_EQ(m.mrr, std::nullopt);
}

TEST(place_counts, ties_lie_between_places) {
  place_counts counts, others;
  counts.add(1.0);
  counts.add(1.5);
  others.add(3.0);
  others.add(20.0);
  counts.add(others);
  measurement m;
  counts.measure(m);
  EXPECT_DOUBLE_EQ(m.mrr.value(), (1.0 + 1 / 1.5 + 1 / 3.0 + 0.05) / 4);
  EXPECT_DOUBLE_EQ(m.hits_at_1.value(), 0.25);
  EXPECT_DOUBLE_EQ(m.hits_at_3.value(), 0.75);
  EXPECT_DOUBLE_EQ(m.hits_at_10.value(), 0.75);
}

}  // namespace
