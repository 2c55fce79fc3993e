// SPDX-License-Identifier: Apache-2.0
// A general model whose gradient draws: an example gets the same numbers on every worker, and others in each epoch.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/check_gradient.hpp>
#include <hogwild/error.hpp>
#include <hogwild/general_model.hpp>
#include <hogwild/hogwild.hpp>
#include <hogwild/trained_model.hpp>

#include "support/toy_data.hpp"

using namespace hogwild;

namespace {

constexpr std::size_t rows_in_all = 240, items = 12;

/// Adds its draw to the parameter of its one column, which has the row's number: so parameters show the draws.
struct drawing {
  using scalar_type = double;
  using example_type = sparse_row<float>;
  std::size_t features = rows_in_all;
  std::size_t dim() const { return features; }
  double loss(const auto& w, const example_type& z) const { return w[z.index[0]] * 0.0; }
  void gradient(const auto&, const example_type& z, const counter_random& random, const auto& emit) const {
    emit(z.index[0], -0.25 - random.uniform(0));
  }
};

/// Bayesian personalised ranking (Rendle et al., 2009) without users: a row's item should score above a drawn one.
struct ranking {
  static constexpr std::string_view name = "ranking";
  using scalar_type = float;
  using example_type = sparse_row<float>;
  std::size_t features = 0;
  std::size_t dim() const { return features; }
  std::size_t other(const example_type& z, const counter_random& random) const {
    const std::size_t drawn = random.below(0, features - 1);
    return drawn < z.index[0] ? drawn : drawn + 1;
  }
  float predict(const auto& w, const example_type& z) const { return w[z.index[0]]; }
  double loss(const auto& w, const example_type& z, const counter_random& random) const {
    return std::log1p(std::exp(static_cast<double>(w[other(z, random)] - w[z.index[0]])));
  }
  void gradient(const auto& w, const example_type& z, const counter_random& random, const auto& emit) const {
    const std::size_t item = z.index[0], drawn = other(z, random);
    const float slope = 1.0f / (1.0f + std::exp(w[item] - w[drawn]));
    emit(item, -slope);
    emit(drawn, slope);
  }
};
static_assert(conforms<drawing>() && draws_numbers<drawing> && conforms<ranking>() && draws_numbers<ranking>);

test::toy_rows one_column_each() {
  test::toy_rows rows;
  rows.columns = rows_in_all;
  for (std::uint32_t r = 0; r < rows_in_all; ++r) rows.push({r}, {1.0f}, 0.0f);
  return rows;
}

/// Item k is chosen k times as often as item 0.
test::toy_rows choices() {
  test::toy_rows rows;
  rows.columns = items;
  const counter_random random(1, 2);
  for (std::uint32_t r = 0; r < 3000; ++r) {
    const auto most = static_cast<std::uint32_t>(std::max(random.below(2 * r, items), random.below(2 * r + 1, items)));
    rows.push({most}, {1.0f}, 0.0f);
  }
  return rows;
}

const train_options once{.epochs = 1, .step = {.initial = 1.0, .decay = 1.0}, .l2 = 0.0, .seed = 9};

TEST(drawn_numbers, are_the_examples_own_in_every_engine) {
  const test::kept_rows rows = one_column_each();
  const std::vector<float> expected = train(drawing{}, rows, serial_engine{}, once).parameters;
  EXPECT_EQ(std::set<float>(expected.begin(), expected.end()).size(), rows_in_all);  // 24 bits: two alike in 1 of 580
  const thread_engine threads{.workers = 3, .team = thread_team_kind::std, .pin = false};
  for (const sharing_kind sharing : {sharing_kind::direct, sharing_kind::buffered}) {
    train_options options = once;
    options.sharing = sharing;
    const std::vector<float> found = train(drawing{}, rows, threads, options).parameters;
    for (std::size_t r = 0; r < rows_in_all; ++r) EXPECT_NEAR(found[r], expected[r], 1e-6) << r;
  }
  train_options reproducible = once;
  reproducible.reproducible = true;
  const std::vector<float> again = train(drawing{}, rows, threads, reproducible).parameters;
  for (std::size_t r = 0; r < rows_in_all; ++r) EXPECT_NEAR(again[r], expected[r], 1e-6) << r;
}

TEST(drawn_numbers, are_others_in_each_epoch_and_under_each_seed) {
  const test::kept_rows rows = one_column_each();
  train_options twice = once, other = once;
  twice.epochs = 2;
  other.seed = 10;
  const std::vector<float> one = train(drawing{}, rows, serial_engine{}, once).parameters,
                           two = train(drawing{}, rows, serial_engine{}, twice).parameters,
                           of_other = train(drawing{}, rows, serial_engine{}, other).parameters;
  std::size_t doubled = 0, same = 0;
  for (std::size_t r = 0; r < rows_in_all; ++r) {
    doubled += std::abs(two[r] - 2.0f * one[r]) < 1e-5f;
    same += one[r] == of_other[r];
  }
  // Each of 240 pairs of uniform numbers is as close as that with a probability of 2e-5.
  EXPECT_LE(doubled, 3u);
  EXPECT_LE(same, 3u);
}

TEST(drawn_numbers, are_not_locked_and_so_refused_under_edge_locked) {
  const test::kept_rows rows = choices();
  train_options options = once;
  options.update = update_kind::edge_locked;
  EXPECT_THROW(train(ranking{items}, rows, serial_engine{}, options), config_error);
  options.update = update_kind::ordered;
  EXPECT_EQ(train(ranking{items}, rows, serial_engine{}, options).examples, rows.rows());
}

TEST(drawn_numbers, let_a_model_rank_and_be_measured_by_the_same_draws_each_time) {
  const test::kept_rows rows = choices();
  EXPECT_FALSE(check_gradient(ranking{items}, rows));
  const train_options options{.epochs = 10, .step = {.initial = 0.1}, .l2 = 0.0};
  for (const bool threads : {false, true}) {
    const train_result run =
        threads ? train(ranking{items}, rows, thread_engine{.workers = 2, .team = thread_team_kind::std}, options)
                : train(ranking{items}, rows, serial_engine{}, options);
    EXPECT_TRUE(run.parameters[11] > run.parameters[6] && run.parameters[6] > run.parameters[1]);
    EXPECT_LT(run.train_loss, 0.69);
    const auto ranked = trained(run, rows, ranking{items});
    const scoring_options by{.workers = 2, .team = thread_team_kind::std};
    EXPECT_EQ(evaluate(ranked, rows, by).loss, evaluate(ranked, rows, by).loss);
    EXPECT_NEAR(evaluate(ranked, rows, by).loss, run.train_loss, 1e-6);
  }
}

}  // namespace
