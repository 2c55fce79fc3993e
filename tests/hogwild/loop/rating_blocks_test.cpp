// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/loop/rating_blocks.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <hogwild/error.hpp>

#include "support/refusal.hpp"
#include "support/toy_ratings.hpp"

namespace hogwild {
namespace {

using test::planted_ratings;
using test::toy_ratings_shape;
using triple = std::tuple<std::uint32_t, std::uint32_t, float>;

std::vector<triple> sorted(const std::vector<rating>& ratings) {
  std::vector<triple> all;
  for (const rating& r : ratings) all.emplace_back(r.user, r.item, r.value);
  std::ranges::sort(all);
  return all;
}

RC_GTEST_PROP(rating_blocks, hold_every_rating_once_and_have_nobody_in_common, ()) {
  const toy_ratings_shape shape{.users = *rc::gen::inRange<std::size_t>(1, 50),
                                .items = *rc::gen::inRange<std::size_t>(1, 50),
                                .ratings = *rc::gen::inRange<std::size_t>(1, 400),
                                .seed = *rc::gen::arbitrary<std::uint64_t>()};
  const std::uint32_t bands = 1u << *rc::gen::inRange(0, 7);
  const test::kept_rows data = planted_ratings(shape);
  const rating_list list = blocks_of(data.view(), shape.users, shape.items, bands);
  RC_ASSERT(list.bands == bands);
  RC_ASSERT(list.starts.size() == std::size_t{bands} * bands + 1);
  RC_ASSERT(list.starts.back() == shape.ratings);
  RC_ASSERT(sorted(list.ratings) == sorted(ratings_of(data.view(), shape.users, shape.items).ratings));
  std::vector<std::set<std::uint32_t>> users(bands), items(bands);
  for (std::uint32_t b = 0; b < bands * bands; ++b) {
    for (std::uint32_t k = list.starts[b]; k < list.starts[b + 1]; ++k) {
      users[b / bands].insert(list.ratings[k].user);
      items[b % bands].insert(list.ratings[k].item);
    }
  }
  for (const auto* const side : {&users, &items}) {
    std::size_t sum = 0;
    std::set<std::uint32_t> all;
    for (const auto& band : *side) sum += band.size(), all.insert(band.begin(), band.end());
    RC_ASSERT(all.size() == sum);
  }
}

TEST(rating_blocks, keep_the_order_of_the_rows) {
  const toy_ratings_shape shape{.users = 30, .items = 20, .ratings = 1000};
  test::toy_rows rows = planted_ratings(shape);
  for (std::size_t r = 0; r < rows.rows(); ++r) rows.label[r] = static_cast<float>(r);
  const csr_rows data = rows.csr();
  const rating_list list = blocks_of(data.view(), shape.users, shape.items, 4);
  for (std::size_t b = 0; b < 16; ++b) {
    for (std::uint32_t k = list.starts[b]; k + 1 < list.starts[b + 1]; ++k)
      EXPECT_LT(list.ratings[k].value, list.ratings[k + 1].value);
  }
}

TEST(rating_blocks, bands_have_about_as_many_ratings) {
  const toy_ratings_shape shape{.users = 500, .items = 400, .ratings = 20000};
  const test::kept_rows data = planted_ratings(shape);
  const rating_list list = blocks_of(data.view(), shape.users, shape.items, 8);
  // The most frequent user has (1/500)^(2/3) of the ratings, 1.6 %: a band differs from an eighth by that at most, half
  // of it at either end.
  for (std::size_t a = 0; a < 8; ++a) {
    const std::uint32_t size = list.starts[8 * (a + 1)] - list.starts[8 * a];
    EXPECT_NEAR(size, 2500.0, 500.0) << a;
  }
}

TEST(rating_blocks, of_rows_that_are_no_ratings_are_refused) {
  const auto refusal = [](const std::vector<std::uint32_t>& index) -> std::string {
    test::toy_rows rows;
    rows.columns = 10;
    rows.push({0, 5}, {1.0f, 1.0f}, 1.0f);
    rows.push(index, std::vector<float>(index.size(), 1.0f), 1.0f);
    const csr_rows data = rows.csr();
    return test::refusal_of<input_error>([&] { ratings_of(data.view(), 5, 4); }, "");
  };
  EXPECT_EQ(refusal({4, 8}), "");
  EXPECT_THAT(refusal({1}), testing::HasSubstr("row 2 of the data is no rating: it has 1 users and 0 items"));
  EXPECT_THAT(refusal({1, 2}), testing::HasSubstr("2 users and 0 items"));
  EXPECT_THAT(refusal({1, 6, 9}), testing::HasSubstr("1 users and 1 items"));
  EXPECT_THAT(refusal({}), testing::HasSubstr("0 users and 0 items"));
}

TEST(rating_blocks, bands_grow_with_the_ratings_and_the_workers) {
  EXPECT_EQ(bands_for(100, 1), 4u);
  EXPECT_EQ(bands_for(900'000, 1), 8u);
  EXPECT_EQ(bands_for(900'000, 2), 8u);
  EXPECT_EQ(bands_for(900'000, 3), 16u);
  EXPECT_EQ(bands_for(100'000'000, 1), 64u);
  EXPECT_EQ(bands_for(100, 1000), most_bands);
}

}  // namespace
}  // namespace hogwild
