// SPDX-License-Identifier: Apache-2.0
// Users and items with features: what vectors are made of, which items are drawn, and what a saved model keeps.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/data/column_parts.hpp>
#include <hogwild/detail/embeddings/pair_parts.hpp>
#include <hogwild/detail/embeddings/side_vectors.hpp>
#include <hogwild/detail/memory/param_view.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/side_features.hpp>
#include <hogwild/models/recommend.hpp>
#include <hogwild/models/sampled_softmax.hpp>
#include <hogwild/models/warp.hpp>
#include <hogwild/registry.hpp>

#include "support/random_rows.hpp"
#include "support/refusals.hpp"
#include "support/toy_data.hpp"

namespace {

using namespace hogwild;
using namespace hogwild::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const side_features two_of_each{.names = {.users = {"young", "far"}, .items = {"red", "long"}},
                                .columns = {user_column(0), item_column(2), item_column(9)},
                                .start = {0, 2, 3, 5},
                                .feature = {0, 1, 0, 0, 1},
                                .weight = {2.0f, -2.0f, 3.0f, 0.5f, 0.5f}};

/// Users 0 and 1, items 0 to 3, each in one pair.
sparse_dataset four_pairs() {
  toy_rows rows;
  rows.columns = 6;
  for (const std::uint32_t item : {0u, 1u, 2u, 3u}) rows.push({item / 2, 2 + item}, {1.0f, 1.0f}, 1.0f);
  const csr_rows held = rows.csr();
  sparse_view view = held.view();
  const std::vector<std::uint32_t> original{user_column(0), user_column(1), item_column(0),
                                            item_column(1), item_column(2), item_column(3)};
  view.original = original;
  return sparse_dataset::copy_of(view);
}

/// User 0 and item 2 have features, and so has item 9, which is in no pair.
sparse_dataset featured_pairs() {
  return with_side_features(four_pairs(), two_of_each);
}

template <class M>
M model_on(const sparse_dataset& data, const model_options& options = {}) {
  model_options all = options;
  all.set("factors", "3");
  return std::get<M>(make_model(M::name, {.rows = data.view()}, all));
}

TEST(pair_parts, weights_of_a_sum_have_the_length_1_however_many_features_there_are) {
  const sparse_dataset data = featured_pairs();
  const auto terms = [&](std::size_t column, bool alone) {
    std::vector<std::pair<std::size_t, float>> all;
    pair_parts(parts_of(data.view()), 7, alone).for_terms(column, [&](std::size_t row, float weight) {
      all.emplace_back(row, weight);
    });
    return all;
  };
  const auto is = [](std::size_t row, double weight) {
    return ::testing::Pair(row, ::testing::FloatNear(static_cast<float>(weight), 1e-6f));
  };
  const double half = 0.5 / std::sqrt(1.5);
  EXPECT_THAT(terms(0, false), ElementsAre(is(0, 1.0 / 3), is(7, 2.0 / 3), is(8, -2.0 / 3)));
  EXPECT_THAT(terms(1, false), ElementsAre(is(1, 1.0)));
  EXPECT_THAT(terms(1, true), ElementsAre(is(1, 1.0)));
  EXPECT_THAT(terms(6, false), ElementsAre(is(6, 2 * half), is(9, half), is(10, half)));
  EXPECT_THAT(terms(6, true), ElementsAre(is(9, std::sqrt(0.5)), is(10, std::sqrt(0.5))));
}

TEST(pair_parts, own_vectors_of_items_without_a_pair_begin_at_zero_and_are_not_drawn) {
  const sparse_dataset data = featured_pairs();
  for (const char* const sampler : {"uniform", "popularity"}) {
    const warp m = model_on<warp>(data, {{"sampler", sampler}});
    ASSERT_EQ(m.items, 5u);
    ASSERT_EQ(m.parts, 4u);
    std::vector<float> w(m.dim(), 9.0f);
    m.init(param_view<float>(std::span(w)), counter_random(1, 2), data.view());
    for (std::size_t k = 0; k < m.factors; ++k) {
      EXPECT_EQ(w[m.item_row(4) + k], 0.0f);
      EXPECT_NE(w[m.item_row(3) + k], 0.0f);
      EXPECT_NE(w[m.part_row(3) + k], 0.0f);
    }
    const auto side = m.make_side(data.view());
    std::set<std::uint32_t> drawn;
    for (std::uint64_t k = 0; k < 1000; ++k) drawn.insert(side->items.draw(counter_random(3, 4).bits(k)));
    EXPECT_THAT(drawn, ElementsAre(0, 1, 2, 3)) << sampler;
    EXPECT_TRUE(std::isfinite(side->items.rarity(4)));
  }
}

TEST(pair_parts, other_features_than_those_of_the_model_are_refused) {
  const sparse_dataset data = featured_pairs();
  warp m = model_on<warp>(data);
  ++m.parts;
  const sparse_dataset plain = four_pairs();
  EXPECT_THAT(message_of<config_error>([&] { m.make_side(data.view()); }), HasSubstr("give the rows that"));
  EXPECT_THAT(message_of<config_error>([&] {
                make_model("warp", {.rows = plain.view()}, {{"features-alone", "true"}});
              }),
              HasSubstr("--features-alone leaves out"));
}

/// A saved model of random parameters, before and after the rows of features are added up.
struct saved_pairs {
  sparse_dataset data = featured_pairs();
  warp m = model_on<warp>(data);
  std::vector<float> w = [this] {
    std::mt19937_64 random(5);
    std::vector<float> all = random_numbers(random, m.dim());
    for (std::size_t j = 0; j < m.item_bias(0); ++j)
      if (j % m.width() >= m.factors) all[j] = 0.0f;
    return all;
  }();
  saved_model apart = to_saved(m, w, {}, data.view().original);
  saved_model saved = [this] {
    saved_model composed = apart;
    compose_features(composed, data.view(), two_of_each.names);
    return composed;
  }();
  /// The score of a user and an item by their columns.
  double score(std::uint32_t user, std::uint32_t item) const {
    const auto side = m.make_side(data.view());
    const std::vector<float> whole = m.composed(w, side->parts);
    return static_cast<double>(m.without_parts().score_of(whole, std::vector{user, 2 + item}));
  }
};

TEST(saved_pairs_with_features, regularise_every_row_of_a_sum) {
  const saved_pairs s;
  const auto side = s.m.make_side(s.data.view());
  const auto square = [&](std::size_t offset, std::size_t n) {
    double sum = 0.0;
    for (std::size_t k = 0; k < n; ++k)
      sum += static_cast<double>(s.w[offset + k]) * static_cast<double>(s.w[offset + k]);
    return sum;
  };
  const std::size_t width = s.m.factors;
  EXPECT_NEAR(s.m.squares_of_user(s.w, *side, 0),
              square(s.m.user_row(0), width) + square(s.m.part_row(0), width) + square(s.m.part_row(1), width), 1e-6);
  EXPECT_NEAR(s.m.squares_of_user(s.w, *side, 1), square(s.m.user_row(1), width), 1e-6);
  EXPECT_NEAR(s.m.squares_of_item(s.w, *side, 2),
              square(s.m.item_row(2), width) + square(s.m.part_row(2), width) + square(s.m.item_bias(2), 1) +
                  square(s.m.item_bias(s.m.items + 2), 1),
              1e-6);
}

TEST(saved_pairs_with_features, have_the_sums_and_recommend_items_that_are_in_no_pair) {
  const saved_pairs s;
  EXPECT_THAT(message_of<input_error>([&] { recommender{s.apart}; }), HasSubstr("compose_features()"));
  const saved_model read = parse_model(model_bytes(s.saved, model_format::text), "saved");
  EXPECT_EQ(read, s.saved);
  const recommender of(parse_model(model_bytes(s.saved, model_format::binary), "saved"));
  ASSERT_TRUE(of.knows_item(9));
  for (const std::uint32_t user : {0u, 1u})
    for (const recommendation& r : of.items_for(user, 10))
      EXPECT_NEAR(r.score, s.score(user, r.item == 9 ? 4 : r.item), 1e-5) << user << " " << r.item;
  EXPECT_EQ(of.items_for(0, 10).size(), 5u);
  EXPECT_THAT(message_of<config_error>([&] {
                saved_model other = s.apart;
                compose_features(other, s.data.view(), {.users = {"young"}, .items = {}});
              }),
              HasSubstr("the features are not those"));
}

TEST(saved_pairs_with_features, give_vectors_to_items_by_their_features) {
  const saved_pairs s;
  side_features given{.names = {.users = {}, .items = {"long", "unheard", "red"}},
                      .columns = {item_column(2), item_column(50), item_column(51)},
                      .start = {0, 1, 4, 5},
                      .feature = {0, 0, 1, 2, 1},
                      .weight = {1.0f, 0.5f, 8.0f, 0.5f, 1.0f}};
  const saved_model more = with_members_of_features(s.saved, given);
  const recommender of(more);
  // As item 9, whose features are the same but for one that the model does not have.
  double by_new = 0.0, by_old = 1.0;
  for (const recommendation& r : of.items_for(1, 10)) {
    if (r.item == 50) by_new = static_cast<double>(r.score);
    if (r.item == 9) by_old = static_cast<double>(r.score);
  }
  saved_pairs without_own;
  for (std::size_t k = 0; k < without_own.m.width(); ++k) without_own.w[without_own.m.item_row(4) + k] = 0.0f;
  without_own.w[without_own.m.item_bias(4)] = 0.0f;
  EXPECT_NEAR(by_new, without_own.score(1, 4), 1e-5);
  EXPECT_NE(by_new, by_old);
  EXPECT_EQ(of.items_for(1, 10).size(), 6u) << "nothing is known of item 51";
  given.names.items = {"a", "b", "c"};
  EXPECT_THAT(message_of<input_error>([&] { with_members_of_features(s.saved, given); }), HasSubstr("none of these"));
}

TEST(saved_pairs_with_features, begin_a_run_that_scores_as_they_do) {
  const saved_pairs s;
  std::mt19937_64 random(6);
  // Features are numbered in another order, and one is new.
  side_features other{.names = {.users = {"far", "young"}, .items = {"fresh", "long", "red"}},
                      .columns = {user_column(0), item_column(2), item_column(9), item_column(0)},
                      .start = {0, 2, 3, 5, 6},
                      .feature = {1, 0, 2, 2, 1, 0},
                      .weight = {2.0f, -2.0f, 3.0f, 0.5f, 0.5f, 1.0f}};
  const sparse_dataset data = with_side_features(four_pairs(), other);
  const warp m = model_on<warp>(data);
  std::vector<float> w = random_numbers(random, m.dim());
  for (std::size_t j = 0; j < m.item_bias(0); ++j)
    if (j % m.width() >= m.factors) w[j] = 0.0f;
  const std::vector<std::string> unknown{"things"};
  EXPECT_THAT(message_of<config_error>([&] { begin_with_features(s.saved, m, data.view(), other.names, unknown, w); }),
              HasSubstr("'things'"));
  EXPECT_GT(begin_with_features(s.saved, m, data.view(), other.names, {}, w), 0u);
  const std::vector<float> whole = m.composed(w, m.make_side(data.view())->parts);
  for (const std::uint32_t user : {0u, 1u})
    for (std::uint32_t item = 0; item < 5; ++item)
      EXPECT_NEAR(m.without_parts().score_of(whole, std::vector{user, 2 + item}), s.score(user, item), 1e-4);
  for (std::size_t k = 0; k < m.factors; ++k) EXPECT_EQ(w[m.part_row(4) + k], s.w[s.m.part_row(2) + k]) << "red";
  EXPECT_EQ(w[m.item_bias(m.items + 4)], s.w[s.m.item_bias(s.m.items + 2)]);
}

}  // namespace
