// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <hogwild/detail/memory/param_view.hpp>
#include <hogwild/models/sampled_softmax.hpp>

#include "support/random_rows.hpp"
#include "support/toy_data.hpp"

namespace {

using namespace hogwild;
using namespace hogwild::test;

constexpr std::uint32_t pair_users = 2, pair_items = 6;

/// User 0 knows items 0 to 4, user 1 item 5.
kept_rows known_pairs() {
  toy_rows rows;
  rows.columns = pair_users + pair_items;
  for (std::uint32_t item = 0; item < 5; ++item) rows.push({0, pair_users + item}, {1.0f, 1.0f}, 1.0f);
  rows.push({1, pair_users + 5}, {1.0f, 1.0f}, 1.0f);
  return rows;
}

struct emitted_rows {
  std::map<std::size_t, std::vector<float>>& to;
  void block(std::size_t offset, std::span<const float> g) const { to[offset].assign(g.begin(), g.end()); }
};

TEST(pair_space, pairs_push_away_no_item_that_their_user_is_known_to_have) {
  const kept_rows data = known_pairs();
  // With three drawn items those are looked up among the user's five, with 64 the other way round.
  for (const std::size_t negatives : {3u, 64u}) {
    sampled_softmax m = sampled_softmax::usual();
    m.users = pair_users, m.items = pair_items, m.factors = 5, m.negatives = negatives;
    std::mt19937_64 random(2);
    std::vector<float> w = random_numbers(random, m.dim());
    auto space = m.make_workspace(data, isa::scalar, 2);
    std::set<std::uint32_t> pushed;
    for (std::uint64_t draw = 0; draw < 40; ++draw) {
      const std::vector<std::uint32_t> columns{0, pair_users + 2};
      const std::vector<float> ones{1.0f, 1.0f};
      m.take(space, 0, {columns, ones, 1.0f}, counter_random(draw, 1));
      std::map<std::size_t, std::vector<float>> gradient;
      m.gradient(param_reader<float>(w.data(), w.size()), space, 1, emitted_rows{gradient});
      for (std::uint32_t item = 0; item < pair_items; ++item)
        if (const auto row = gradient.find(m.item_row(item)); row != gradient.end() && item != 2)
          for (const float x : row->second)
            if (x != 0.0f) pushed.insert(item);
    }
    EXPECT_EQ(pushed, std::set<std::uint32_t>{5}) << negatives;
  }
}

TEST(pair_space, a_pair_that_training_does_not_have_is_not_compared_with_its_own_item) {
  const kept_rows data = known_pairs();
  sampled_softmax m = sampled_softmax::usual();
  m.users = pair_users, m.items = pair_items, m.factors = 5, m.negatives = 64;
  std::vector<float> w(m.dim());
  // All vectors are equal, so each of the items that count adds alike: five for the own item of user 1 beside the
  // known one are four.
  for (std::size_t row = 0; row < pair_users + pair_items; ++row) w[row * m.width()] = 1.0f;
  auto space = m.make_workspace(data, isa::scalar, 1);
  const std::vector<std::uint32_t> columns{1, pair_users + 0};
  const std::vector<float> ones{1.0f, 1.0f};
  m.take(space, 0, {columns, ones, 1.0f}, counter_random(1, 1));
  std::map<std::size_t, std::vector<float>> gradient;
  m.gradient(param_reader<float>(w.data(), w.size()), space, 1, emitted_rows{gradient});
  std::vector<row_score> score(1);
  m.score(param_reader<float>(w.data(), w.size()), space, 1, score);
  // Of 64 drawn items those that count have the chance 4/6; each counts 6/64.
  EXPECT_GT(score[0].loss, std::log(1.0 + 2.5));
  EXPECT_LT(score[0].loss, std::log(1.0 + 4.9));
}

TEST(pair_space, pairs_that_do_not_count_leave_the_mean_loss_alone) {
  const kept_rows data = known_pairs();
  sampled_softmax m = sampled_softmax::usual();
  m.users = pair_users, m.items = pair_items, m.factors = 5;
  std::mt19937_64 random(2);
  std::vector<float> w = random_numbers(random, m.dim());
  auto space = m.make_workspace(data, isa::scalar, 3);
  const std::vector<std::uint32_t> first{0, pair_users + 2}, none{0}, last{1, pair_users + 5};
  const std::vector<float> ones{1.0f, 1.0f};
  std::vector<row_score> scores(3);
  m.take(space, 0, {first, ones, 1.0f}, counter_random(1, 1));
  m.take(space, 1, {none, std::span(ones).first(1), 1.0f}, counter_random(1, 2));
  m.take(space, 2, {last, ones, 1.0f}, counter_random(1, 3));
  m.score(param_reader<float>(w.data(), w.size()), space, 3, scores);
  EXPECT_NE(scores[0].loss, scores[2].loss);
  EXPECT_DOUBLE_EQ(scores[1].loss, (scores[0].loss + scores[2].loss) / 2);
}

}  // namespace
