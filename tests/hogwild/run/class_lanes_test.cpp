// SPDX-License-Identifier: Apache-2.0
// Linear models of several classes side by side against each of them alone.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/models/softmax.hpp>

#include "support/lanes_alone.hpp"
#include "support/sanitizers.hpp"

namespace hogwild {
namespace {

constexpr test::toy_shape class_lane_shape{.rows = 600, .columns = 120, .per_row = 11};

softmax classifier(std::size_t classes, bool bias = true, bool rest = false) {
  return {.features = class_lane_shape.columns, .classes = classes, .bias = bias, .one_vs_rest = rest};
}

struct class_lanes : test::lanes_alone {
  /// Rows whose labels are this many classes.
  const sparse_view& rows_of(std::size_t classes) { return take(test::planted_classes(class_lane_shape, classes)); }
};

TEST_F(class_lanes, make_the_bits_that_each_makes_alone) {
  if (test::thread_sanitized) GTEST_SKIP() << "one thread trains";
  for (const std::size_t classes : {3u, 8u, 13u}) {
    const sparse_view& of = rows_of(classes);
    for (const std::size_t n : {8u, 16u, 32u}) {
      expect_same_bits(classifier(classes, true), of, n);
      expect_same_bits(classifier(classes, false, true), of, n);
    }
  }
  const sparse_view& of = rows_of(5);
  for (const isa set : {isa::scalar, isa::avx2, isa::avx512}) {
    options.isa = set;
    if (has_isa(set)) expect_same_bits(classifier(5), of, 16);
  }
  options = {.form = l2_form::per_occurrence, .order = row_order::permuted};
  expect_same_bits(classifier(5), of, 8);
}

TEST_F(class_lanes, make_the_bits_that_each_makes_alone_by_a_worker_on_a_shared_array) {
  if (test::thread_sanitized) GTEST_SKIP() << "one thread trains";
  options.sharing = sharing_kind::direct;
  for (const update_kind update : {update_kind::lossy, update_kind::exact}) {
    options.update = update;
    for (const bool rest : {false, true}) {
      expect_same_bits(classifier(4, !rest, rest), rows_of(4), 8, serial_engine{});
      expect_same_bits(classifier(4, !rest, rest), view, 8, one);
    }
  }
}

TEST_F(class_lanes, heed_weights_of_rows) {
  if (test::thread_sanitized) GTEST_SKIP() << "one thread trains";
  sparse_view heavy = rows_of(6);
  std::vector<float> weight;
  for (std::size_t r = 0; r < heavy.rows(); ++r) weight.push_back(0.25f + static_cast<float>(r % 4));
  heavy.weight = weight;
  for (const sharing_kind sharing : {sharing_kind::automatic, sharing_kind::direct}) {
    options.sharing = sharing;
    expect_same_bits(classifier(6), heavy, 8, one);
  }
}

TEST_F(class_lanes, measure_what_each_measures_alone) {
  const sparse_view& of = rows_of(7);
  const auto lanes = random_lanes(8);
  const prepared_task made = prepare(classifier(7), of, options);
  lane_run run = placed(made, lanes);
  run.train(1, steps_of(lanes));
  const auto measured = run.measure(of, lane_task::rows_of_lane::all, true);
  for (std::size_t k = 0; k < 8; ++k) {
    options.test = of;
    const train_result by_itself = alone(classifier(7), of, lanes[k], 1);
    EXPECT_NEAR(measured[k].loss, by_itself.test->loss, 1e-6 * by_itself.test->loss);
    EXPECT_EQ(measured[k].accuracy, by_itself.test->accuracy);
  }
}

TEST_F(class_lanes, are_dropped_and_refilled_and_the_others_do_not_notice) {
  if (test::thread_sanitized) GTEST_SKIP() << "one thread trains";
  SCOPED_TRACE("seed " + std::to_string(seed));
  const sparse_view& of = rows_of(5);
  for (const sharing_kind sharing : {sharing_kind::automatic, sharing_kind::direct}) {
    options.sharing = sharing;
    auto lanes = random_lanes(8);
    const prepared_task made = prepare(classifier(5), of, options);
    lane_run run = placed(made, lanes);
    run.train(1, steps_of(lanes));
    run.clear(2);
    std::vector<double> wild = steps_of(lanes);
    wild[4] = 1e38;  // diverges
    run.train(2, wild);
    const auto measured = run.measure(of, lane_task::rows_of_lane::all, false);
    EXPECT_TRUE(std::isnan(measured[2].loss));
    EXPECT_FALSE(measured[4].loss < 1e6);
    EXPECT_FALSE(run.trains(2));
    for (const float w : run.parameters(2)) EXPECT_EQ(w, 0.0f);
    run.place(2, {.l2 = lanes[5].l2}, run.parameters(5));  // another lane's model goes on here
    run.place(4, {.l2 = lanes[4].l2});
    std::vector<double> moved = steps_of(lanes);
    moved[2] = moved[5];
    run.train(3, moved);
    for (const std::size_t k : {0u, 1u, 3u, 5u, 6u, 7u})
      EXPECT_EQ(run.parameters(k), alone(classifier(5), of, lanes[k], 3).parameters) << "lane " << k;
    EXPECT_EQ(run.parameters(2), run.parameters(5));
    EXPECT_TRUE(std::isfinite(run.measure(of, lane_task::rows_of_lane::all, false)[4].loss));
  }
}

// Each column is owed the l2 of the rows that are left.
TEST_F(class_lanes, are_as_trained_on_rows_from_which_the_fold_is_cut) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  const sparse_view& of = rows_of(4);
  std::vector<std::uint8_t> fold;
  for (std::size_t r = 0; r < of.rows(); ++r) fold.push_back(static_cast<std::uint8_t>(r * r % 7 % 3));
  options.order = row_order::sequential;  // chunks of fewer rows are smaller
  options.bias_rate = 0.5;                // else by the rows, which are others where they are cut
  for (const sharing_kind sharing : {sharing_kind::automatic, sharing_kind::direct}) {
    options.sharing = sharing;
    const auto lanes = random_lanes(8);
    const prepared_task made = prepare(classifier(4), of, options);
    lane_run run = placed(made, lanes);
    run.deal(fold);
    const auto held = [](std::size_t k) { return k < 6 ? static_cast<std::uint32_t>(k % 3) : lane_rows::none; };
    for (std::size_t k = 0; k < 8; ++k) run.place(k, {.l2 = lanes[k].l2, .rows = {.held_out = held(k)}});
    run.train(1, steps_of(lanes));
    run.train(2, steps_of(lanes));
    const auto all = run.measure(of, lane_task::rows_of_lane::all, false);
    const auto seen = run.measure(of, lane_task::rows_of_lane::trained_on, false);
    const auto unseen = run.measure(of, lane_task::rows_of_lane::held_out, false);
    for (std::size_t k = 0; k < 8; ++k) {
      const csr_rows cut = without(fold, held(k));
      EXPECT_EQ(run.parameters(k), alone(classifier(4), cut.view(), lanes[k], 2).parameters) << "lane " << k;
      if (k >= 6) continue;
      const auto n = static_cast<double>(fold.size());
      const auto part = static_cast<double>(std::ranges::count(fold, held(k)));
      EXPECT_NEAR(all[k].loss, (unseen[k].loss * part + seen[k].loss * (n - part)) / n, 1e-6);
    }
  }
}

TEST_F(class_lanes, count_rows_as_their_bootstrap_does) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  const sparse_view& of = rows_of(5);
  std::vector<std::vector<float>> found;
  for (const sharing_kind sharing : {sharing_kind::automatic, sharing_kind::direct}) {
    options.sharing = sharing;
    const std::vector<planned> same(8, {0.05, 0.0});
    const prepared_task made = prepare(classifier(5), of, options);
    lane_run run = placed(made, same);
    for (std::size_t k = 0; k < 8; ++k) run.place(k, {.rows = {.bootstrap = 1 + k % 4}});
    run.train(1, steps_of(same));
    for (std::size_t k = 0; k < 4; ++k) {
      std::vector<float> weight;
      for (std::size_t r = 0; r < of.rows(); ++r) weight.push_back(bootstrap_count(1 + k, r));
      const double mean = std::accumulate(weight.begin(), weight.end(), 0.0) / static_cast<double>(weight.size());
      sparse_view weighed = of;
      weighed.weight = weight;  // counts over their mean
      EXPECT_LT(difference(run.parameters(k), alone(classifier(5), weighed, {0.05 * mean, 0.0}, 1).parameters), 1e-5);
      EXPECT_EQ(run.parameters(k), run.parameters(k + 4));
      if (k > 0) {
        EXPECT_NE(run.parameters(k), run.parameters(0));
      }
    }
  }
}

TEST_F(class_lanes, end_as_well_by_two_threads_in_every_way_of_sharing) {
  const sparse_view& of = rows_of(6);
  // With ten times these steps a worker that is away for long undoes much of what the other one did.
  const std::vector<planned> lanes{{0.005, 0.0},  {0.01, 1e-3}, {0.02, 1e-4}, {0.002, 1e-2},
                                   {0.005, 1e-5}, {0.01, 0.0},  {0.02, 1e-3}, {0.002, 1e-6}};
  const auto trained = [&](const train_options& o, const auto& engine) {
    const prepared_task made = prepare(classifier(6), of, o);
    lane_run run = placed(made, lanes, engine);
    for (std::size_t pass = 1; pass <= 6; ++pass) run.train(pass, steps_of(lanes));
    return run.measure(of, lane_task::rows_of_lane::all, false);
  };
  const auto expected = trained(options, serial_engine{});
  for (const sharing_kind sharing : {sharing_kind::automatic, sharing_kind::direct, sharing_kind::buffered}) {
    for (const update_kind update : {update_kind::lossy, update_kind::exact}) {
      train_options o = options;
      o.sharing = sharing, o.update = update;
      const auto measured = trained(o, two);
      for (std::size_t k = 0; k < lanes.size(); ++k)
        EXPECT_LT(measured[k].loss, 1.05 * expected[k].loss + 0.01) << "lane " << k;
    }
  }
}

TEST_F(class_lanes, repeat_to_the_bit_by_any_number_of_threads) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  const sparse_view& of = rows_of(5);
  options.reproducible = true, options.virtual_workers = 3;
  const auto lanes = random_lanes(8);
  const prepared_task made = prepare(classifier(5), of, options);
  const auto by = [&](std::size_t workers) {
    const thread_engine threads{.workers = workers, .team = thread_team_kind::std, .pin = false};
    lane_run run = placed(made, lanes, threads);
    for (std::size_t pass = 1; pass <= 3; ++pass) run.train(pass, steps_of(lanes));
    std::vector<std::vector<float>> all;
    for (std::size_t k = 0; k < 8; ++k) all.push_back(run.parameters(k));
    return all;
  };
  EXPECT_EQ(by(1), by(2));
  EXPECT_EQ(by(1), by(3));
}

TEST_F(class_lanes, refuse_what_does_not_suit) {
  const sparse_view& of = rows_of(3);
  const auto refused = [&](const train_options& o) {
    const prepared_task made = prepare(classifier(3), of, o);
    EXPECT_FALSE(lane_run::suits(made));
    EXPECT_THROW(placed(made, std::vector<planned>(8, {0.1, 0.0})), config_error);
  };
  EXPECT_TRUE(lane_run::suits(prepare(classifier(3), of, options)));
  refused({.optimizer = optimizer_kind::adagrad});
  refused({.l1 = 1e-4});
  refused({.freeze = {"bias"}});
  EXPECT_FALSE(lane_run::suits(prepare(classifier(3), of, {.step = {.kind = schedule_kind::linear}})));
  const prepared_task without = prepare(classifier(3), of, {.l2 = 0.0});
  lane_run run = placed(without, std::vector<planned>(8, {0.1, 0.0}));
  EXPECT_THROW(run.place(0, {.l2 = 1e-3}), config_error);
  const test::toy_rows several = test::planted_lists(class_lane_shape, 3);
  const csr_rows lists = several.csr();
  EXPECT_FALSE(lane_run::suits(prepare(classifier(3), lists.view(), options)));
}

}  // namespace
}  // namespace hogwild
