// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/validation_split.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/pairs.hpp>

#include "support/refusals.hpp"
#include "support/scratch_folder.hpp"

namespace hogwild {
namespace {

/// User k has so many pairs; the time of an item is its number, reversed.
sparse_dataset pairs_of_users(const test::scratch_folder& folder, const std::vector<int>& counts) {
  std::string text;
  int item = 0;
  for (std::size_t user = 0; user < counts.size(); ++user)
    for (int k = 0; k < counts[user]; ++k, ++item)
      text += std::to_string(user) + " " + std::to_string(item) + " 1 " + std::to_string(10000 - item) + "\n";
  return open_pairs(folder.write("pairs.txt", text), {.form = pair_form::lines},
                    {.cache = open_options::cache_use::none});
}

/// The items that are held back, by user.
std::map<std::uint32_t, std::set<std::uint32_t>> held_items(const sparse_view& rows, const std::vector<bool>& held) {
  std::map<std::uint32_t, std::set<std::uint32_t>> items;
  row_cursor cursor(rows);
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    const auto row = cursor.row(r);
    if (held[r]) items[rating_id(rows.original[row.index[0]])].insert(rating_id(rows.original[row.index[1]]));
  }
  return items;
}

TEST(pair_split, takes_the_fraction_of_each_user_and_leaves_each_a_pair) {
  const test::scratch_folder folder;
  const std::vector<int> counts{100, 50, 10, 1, 1, 1};
  const sparse_dataset pairs = pairs_of_users(folder, counts);
  std::set<std::vector<bool>> draws;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const std::vector<bool> held = draw_of_users(pairs.view(), 0.2, seed);
    const auto items = held_items(pairs.view(), held);
    for (const auto& [user, of] : items) {
      EXPECT_NEAR(static_cast<double>(of.size()), 0.2 * counts[user], 1.0) << user;
      EXPECT_LT(user, 3u);
    }
    EXPECT_EQ(items.size(), 3u);
    EXPECT_EQ(held, draw_of_users(pairs.view(), 0.2, seed));
    draws.insert(held);
  }
  EXPECT_EQ(draws.size(), 10u);
}

TEST(pair_split, takes_the_last_pairs_of_each_user_who_has_more) {
  const test::scratch_folder folder;
  const sparse_dataset pairs = pairs_of_users(folder, {4, 2, 3, 1});
  const std::map<std::uint32_t, std::set<std::uint32_t>> expected{{0, {0, 1}}, {2, {6, 7}}};
  EXPECT_EQ(held_items(pairs.view(), last_of_users(pairs.view(), pair_times(pairs), 2)), expected);
  // Of equal times the item that is later among the positions.
  const std::vector<double> same(pairs.rows());
  const std::map<std::uint32_t, std::set<std::uint32_t>> later{{0, {3}}, {1, {5}}, {2, {8}}};
  EXPECT_EQ(held_items(pairs.view(), last_of_users(pairs.view(), same, 1)), later);
}

TEST(pair_split, is_refused_where_nothing_could_be_held_back) {
  const test::scratch_folder folder;
  const sparse_dataset pairs = pairs_of_users(folder, {1, 1, 2});
  EXPECT_THAT(test::message_of<config_error>([&] { last_of_users(pairs.view(), pair_times(pairs), 2); }),
              testing::HasSubstr("no user has more pairs than the 2"));
  const sparse_dataset single = pairs_of_users(folder, {1, 1, 1});
  EXPECT_THAT(test::message_of<config_error>([&] { draw_of_users(single.view(), 0.5, 1); }),
              testing::HasSubstr("holds back none"));
}

}  // namespace
}  // namespace hogwild
