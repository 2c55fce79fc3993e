// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/results/group_metrics.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/results/metrics.hpp>

namespace hogwild {
namespace {

struct ranked_rows {
  std::vector<float> scores{}, labels{}, weights{};
  std::vector<std::uint32_t> groups{};
};

/// Groups of several sizes in turn, with scores from a few values, so that some are equal.
ranked_rows some_rows(std::uint64_t seed, std::size_t rows, int scores, int grades) {
  std::mt19937_64 draw(seed);
  ranked_rows made;
  for (std::size_t r = 0; r < rows; ++r) {
    made.groups.push_back(static_cast<std::uint32_t>(draw() % 7 * (draw() % 2 + 1)));
    made.scores.push_back(static_cast<float>(draw() % static_cast<std::uint64_t>(scores)));
    made.labels.push_back(static_cast<float>(draw() % static_cast<std::uint64_t>(grades)));
    made.weights.push_back(static_cast<float>(draw() % 3));
  }
  return made;
}

ranked_rows of_group(const ranked_rows& all, std::uint32_t group) {
  ranked_rows some;
  for (std::size_t r = 0; r < all.groups.size(); ++r) {
    if (all.groups[r] != group) continue;
    some.scores.push_back(all.scores[r]), some.labels.push_back(all.labels[r]);
    some.weights.push_back(all.weights[r]);
  }
  return some;
}

TEST(group_auc, is_the_mean_of_the_groups_by_the_weights_of_their_rows) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const ranked_rows all = some_rows(seed, 60, 9, 2);
    for (const bool weighed : {false, true}) {
      double sum = 0.0, weight = 0.0;
      for (std::uint32_t group = 0; group < 14; ++group) {
        ranked_rows own = of_group(all, group);
        if (!weighed) own.weights.assign(own.labels.size(), 1.0f);
        const auto area = area_under_curve(own.scores, own.labels, own.weights);
        if (!area) continue;
        for (const float w : own.weights) sum += *area * static_cast<double>(w), weight += static_cast<double>(w);
      }
      const auto found = group_auc(all.scores, all.labels, weighed ? all.weights : std::vector<float>{}, all.groups);
      ASSERT_TRUE(found);
      EXPECT_NEAR(*found, sum / weight, 1e-12);
    }
  }
}

TEST(group_auc, does_not_compare_rows_of_different_groups) {
  // Within each group the order is right; between groups it is wrong.
  const std::vector<float> scores{5, 6, 1, 2}, labels{-1, 1, -1, 1};
  const std::vector<std::uint32_t> groups{3, 3, 9, 9}, one(4, 0), each{0, 1, 2, 3};
  EXPECT_EQ(group_auc(scores, labels, {}, groups), 1.0);
  EXPECT_EQ(group_auc(scores, labels, {}, one), 0.75);
  EXPECT_FALSE(group_auc(scores, labels, {}, each));
  EXPECT_FALSE(group_auc(std::vector<float>{5, NAN, 1, 2}, labels, {}, groups));
}

TEST(ndcg, of_known_orders) {
  const std::vector<std::uint32_t> one(3, 0);
  const std::vector<float> labels{3, 2, 0};
  EXPECT_DOUBLE_EQ(ndcg_at_10(std::vector<float>{3, 2, 1}, labels, {}, one).value(), 1.0);
  const double best = 7.0 + 3.0 / std::log2(3.0);
  EXPECT_DOUBLE_EQ(ndcg_at_10(std::vector<float>{1, 2, 3}, labels, {}, one).value(),
                   (3.0 / std::log2(3.0) + 7.0 / 2.0) / best);
  EXPECT_DOUBLE_EQ(ndcg_at_10(std::vector<float>{0, 0, 0}, labels, {}, one).value(),
                   10.0 / 3.0 * (1.0 + 1.0 / std::log2(3.0) + 0.5) / best);
}

/// The mean over all orders that the scores allow.
double by_orders(const ranked_rows& rows) {
  std::vector<std::size_t> order(rows.labels.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  const auto dcg = [&](auto label_at) {
    double sum = 0.0;
    for (std::size_t i = 0; i < std::min<std::size_t>(order.size(), 10); ++i)
      sum += (std::exp2(static_cast<double>(label_at(i))) - 1.0) / std::log2(static_cast<double>(i + 2));
    return sum;
  };
  std::vector<float> best = rows.labels;
  std::ranges::sort(best, std::greater<>());
  double sum = 0.0, count = 0.0;
  do {
    if (!std::ranges::is_sorted(order, std::greater<>(), [&](std::size_t r) { return rows.scores[r]; })) continue;
    sum += dcg([&](std::size_t i) { return rows.labels[order[i]]; });
    count += 1.0;
  } while (std::ranges::next_permutation(order).found);
  return sum / count / dcg([&](std::size_t i) { return best[i]; });
}

TEST(ndcg, is_the_mean_over_groups_and_over_the_orders_of_equal_scores) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const ranked_rows all = some_rows(seed, 24, 3, 4);
    double sum = 0.0, count = 0.0;
    for (std::uint32_t group = 0; group < 14; ++group) {
      const ranked_rows own = of_group(all, group);
      if (own.labels.empty() || own.labels.size() > 8 || std::ranges::max(own.labels) == 0.0f) continue;
      sum += by_orders(own), count += 1.0;
    }
    if (std::ranges::any_of(all.groups, [&](std::uint32_t g) { return std::ranges::count(all.groups, g) > 8; }))
      continue;
    EXPECT_NEAR(ndcg_at_10(all.scores, all.labels, {}, all.groups).value(), sum / count, 1e-12);
  }
}

TEST(ndcg, counts_ten_places) {
  std::vector<float> scores, labels;
  for (int r = 0; r < 12; ++r) scores.push_back(static_cast<float>(-r)), labels.push_back(r == 10 ? 1.0f : 0.0f);
  const std::vector<std::uint32_t> one(12, 0);
  EXPECT_EQ(ndcg_at_10(scores, labels, {}, one), 0.0);
  std::swap(labels[10], labels[9]);
  EXPECT_DOUBLE_EQ(ndcg_at_10(scores, labels, {}, one).value(), 1.0 / std::log2(11.0));
}

TEST(ndcg, is_not_there_without_grades) {
  const std::vector<float> scores{1, 2};
  const std::vector<std::uint32_t> one(2, 0);
  EXPECT_FALSE(ndcg_at_10(scores, std::vector<float>{0.5f, 1}, {}, one));
  EXPECT_FALSE(ndcg_at_10(scores, std::vector<float>{31, 1}, {}, one));
  EXPECT_FALSE(ndcg_at_10(scores, std::vector<float>{0, -1}, {}, one));
  EXPECT_FALSE(ndcg_at_10(std::vector<float>{1, NAN}, std::vector<float>{0, 1}, {}, one));
  EXPECT_EQ(ndcg_at_10(scores, std::vector<float>{-1, 1}, {}, one), 1.0);
}

}  // namespace
}  // namespace hogwild
