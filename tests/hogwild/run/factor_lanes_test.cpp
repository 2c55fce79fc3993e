// SPDX-License-Identifier: Apache-2.0
// Factorization machines side by side against each of them alone.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/platform/topology.hpp>
#include <hogwild/detail/task/lane_loops.hpp>
#include <hogwild/models/factorization_machine.hpp>

#include "support/lanes_alone.hpp"
#include "support/sanitizers.hpp"

namespace hogwild {
namespace {

constexpr test::toy_shape factor_lane_shape{.rows = 500, .columns = 90, .per_row = 11};
constexpr std::array both_optimizers{optimizer_kind::sgd, optimizer_kind::adagrad};

/// A machine of labels or of numbers.
factorization_machine machine_of(std::size_t factors, bool numbers = false) {
  return {.features = factor_lane_shape.columns,
          .factors = factors,
          .labels = numbers ? label_kind::real : label_kind::binary,
          .mean = numbers ? 0.1f : 0.0f,
          .scale = numbers ? 1.5f : 1.0f};
}

struct lanes_of_factors : test::lanes_alone {
  const sparse_view& rows_of(bool numbers = false) {
    return take(numbers ? test::planted_regression(factor_lane_shape)
                        : test::planted_classification(factor_lane_shape));
  }
  template <class Engine = serial_engine>
  void expect_bits(const factorization_machine& m, std::size_t n, const Engine& engine = {}) {
    SCOPED_TRACE(std::string(options.optimizer == optimizer_kind::sgd ? "sgd" : "adagrad") +
                 (m.labels == label_kind::real ? ", numbers" : ", labels"));
    expect_same_bits(m, rows_of(m.labels == label_kind::real), n, engine, 0.3);
  }
};

TEST_F(lanes_of_factors, make_the_bits_that_each_makes_alone) {
  if (test::thread_sanitized) GTEST_SKIP() << "one thread trains";
  for (const optimizer_kind by : both_optimizers) {
    options = {.optimizer = by};
    for (const std::size_t n : {8u, 16u, 32u}) {
      expect_bits(machine_of(n == 8 ? 3 : n == 16 ? 8 : 16), n);
      expect_bits(machine_of(n == 8 ? 24 : n == 16 ? 13 : 4, true), n);
    }
    for (const isa set : {isa::scalar, isa::avx2, isa::avx512}) {
      options.isa = set;
      if (has_isa(set)) expect_bits(machine_of(8), 16);
    }
    options = {.form = l2_form::per_occurrence, .optimizer = by, .order = row_order::permuted};
    expect_bits(machine_of(4), 8);
  }
}

TEST_F(lanes_of_factors, make_the_bits_that_each_makes_alone_by_a_worker_on_a_shared_array) {
  if (test::thread_sanitized) GTEST_SKIP() << "one thread trains";
  options.sharing = sharing_kind::direct;
  for (const optimizer_kind by : both_optimizers) {
    options.optimizer = by;
    for (const update_kind update : {update_kind::lossy, update_kind::exact}) {
      options.update = update;
      expect_bits(machine_of(5), 8, serial_engine{});
      expect_bits(machine_of(8, true), 8, one);
    }
  }
}

TEST_F(lanes_of_factors, heed_weights_of_rows) {
  if (test::thread_sanitized) GTEST_SKIP() << "one thread trains";
  sparse_view heavy = rows_of();
  std::vector<float> weight;
  for (std::size_t r = 0; r < heavy.rows(); ++r) weight.push_back(0.5f * static_cast<float>(r % 5));
  heavy.weight = weight;
  for (const optimizer_kind by : both_optimizers) {
    options.optimizer = by;
    for (const sharing_kind sharing : {sharing_kind::automatic, sharing_kind::direct}) {
      options.sharing = sharing;
      expect_same_bits(machine_of(6), heavy, 8, one, 0.3);
    }
  }
}

TEST_F(lanes_of_factors, measure_what_each_measures_alone) {
  for (const bool numbers : {false, true}) {
    const sparse_view& of = rows_of(numbers);
    const factorization_machine m = machine_of(7, numbers);
    const auto lanes = random_lanes(8, 0.3);
    const prepared_task made = prepare(m, of, options);
    lane_run run = placed(made, lanes);
    run.train(1, steps_of(lanes));
    const auto measured = run.measure(of, lane_task::rows_of_lane::all, true);
    for (std::size_t k = 0; k < 8; ++k) {
      options.test = of;
      const train_result by_itself = alone(m, of, lanes[k], 1);
      EXPECT_NEAR(measured[k].loss, by_itself.test->loss, 1e-6 * by_itself.test->loss);
      EXPECT_EQ(measured[k].accuracy, by_itself.test->accuracy);
      EXPECT_EQ(measured[k].auc, by_itself.test->auc);
      ASSERT_EQ(measured[k].rmse.has_value(), numbers);
      if (numbers) {
        EXPECT_NEAR(*measured[k].rmse, *by_itself.test->rmse, 1e-6);
      }
    }
    options.test.reset();
  }
}

TEST_F(lanes_of_factors, are_dropped_and_refilled_and_the_others_do_not_notice) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  const sparse_view& of = rows_of();
  const factorization_machine m = machine_of(6);
  for (const optimizer_kind by : both_optimizers) {
    options.optimizer = by;
    for (const sharing_kind sharing : {sharing_kind::automatic, sharing_kind::direct}) {
      options.sharing = sharing;
      auto lanes = random_lanes(8, 0.3);
      const prepared_task made = prepare(m, of, options);
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
      run.place(2, {.l2 = lanes[5].l2}, run.kept(5));  // another lane's model goes on here
      run.place(4, {.l2 = lanes[4].l2});
      EXPECT_EQ(run.parameters(4), run.beginning());
      std::vector<double> moved = steps_of(lanes);
      moved[2] = moved[5];
      run.train(3, moved);
      for (const std::size_t k : {0u, 1u, 3u, 5u, 6u, 7u})
        EXPECT_EQ(run.parameters(k), alone(m, of, lanes[k], 3).parameters) << "lane " << k;
      EXPECT_EQ(run.parameters(2), run.parameters(5));
      EXPECT_TRUE(std::isfinite(run.measure(of, lane_task::rows_of_lane::all, false)[4].loss));
    }
  }
}

TEST_F(lanes_of_factors, go_back_to_what_they_and_their_sums_were) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  const sparse_view& of = rows_of();
  const auto lanes = random_lanes(8);
  const prepared_task made = prepare(machine_of(4), of, options);
  lane_run run = placed(made, lanes);
  run.train(1, steps_of(lanes));
  const lane_run::all_kept before = run.kept();
  for (int again = 0; again < 2; ++again) {
    run.train(2, steps_of(lanes));
    for (std::size_t k = 0; k < 8; ++k)
      ASSERT_EQ(run.parameters(k), alone(machine_of(4), of, lanes[k], 2).parameters) << "lane " << k;
    run.go_back(before);
  }
}

// Each column is owed the l2 of the rows that are left.
TEST_F(lanes_of_factors, are_as_trained_on_rows_from_which_the_fold_is_cut) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  const sparse_view& of = rows_of();
  const factorization_machine m = machine_of(4);
  std::vector<std::uint8_t> fold;
  for (std::size_t r = 0; r < of.rows(); ++r) fold.push_back(static_cast<std::uint8_t>(r * r % 7 % 3));
  options.order = row_order::sequential;  // chunks of fewer rows are smaller
  for (const optimizer_kind by : both_optimizers) {
    options.optimizer = by;
    for (const sharing_kind sharing : {sharing_kind::automatic, sharing_kind::direct}) {
      options.sharing = sharing;
      const auto lanes = random_lanes(8, 0.3);
      const prepared_task made = prepare(m, of, options);
      lane_run run = placed(made, lanes);
      run.deal(fold);
      const auto held = [](std::size_t k) { return k < 6 ? static_cast<std::uint32_t>(k % 3) : lane_rows::none; };
      for (std::size_t k = 0; k < 8; ++k) run.place(k, {.l2 = lanes[k].l2, .rows = {.held_out = held(k)}});
      run.train(1, steps_of(lanes));
      run.train(2, steps_of(lanes));
      for (std::size_t k = 0; k < 8; ++k) {
        const csr_rows cut = without(fold, held(k));
        EXPECT_EQ(run.parameters(k), alone(m, cut.view(), lanes[k], 2).parameters) << "lane " << k;
      }
    }
  }
}

TEST_F(lanes_of_factors, count_rows_as_their_bootstrap_does) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  const sparse_view& of = rows_of();
  const factorization_machine m = machine_of(5);
  options.optimizer = optimizer_kind::sgd;
  for (const sharing_kind sharing : {sharing_kind::automatic, sharing_kind::direct}) {
    options.sharing = sharing;
    const std::vector<planned> same(8, {0.05, 0.0});
    const prepared_task made = prepare(m, of, options);
    lane_run run = placed(made, same);
    for (std::size_t k = 0; k < 8; ++k) run.place(k, {.rows = {.bootstrap = 1 + k % 4}});
    run.train(1, steps_of(same));
    for (std::size_t k = 0; k < 4; ++k) {
      std::vector<float> weight;
      for (std::size_t r = 0; r < of.rows(); ++r) weight.push_back(bootstrap_count(1 + k, r));
      const double mean = std::accumulate(weight.begin(), weight.end(), 0.0) / static_cast<double>(weight.size());
      sparse_view weighed = of;
      weighed.weight = weight;  // counts over their mean
      EXPECT_LT(difference(run.parameters(k), alone(m, weighed, {0.05 * mean, 0.0}, 1).parameters), 1e-5);
      EXPECT_EQ(run.parameters(k), run.parameters(k + 4));
      if (k > 0) {
        EXPECT_NE(run.parameters(k), run.parameters(0));
      }
    }
  }
}

TEST_F(lanes_of_factors, end_as_well_by_two_threads_in_every_way_of_sharing) {
  const sparse_view& of = rows_of();
  std::vector<planned> lanes{{0.05, 0.0},  {0.1, 1e-3}, {0.2, 1e-4}, {0.02, 1e-2},
                             {0.05, 1e-5}, {0.1, 0.0},  {0.2, 1e-3}, {0.02, 1e-6}};
  const auto trained = [&](const train_options& o, const auto& engine) {
    const prepared_task made = prepare(machine_of(4), of, o);
    lane_run run = placed(made, lanes, engine);
    for (std::size_t pass = 1; pass <= 6; ++pass) run.train(pass, steps_of(lanes));
    return run.measure(of, lane_task::rows_of_lane::all, false);
  };
  for (const optimizer_kind by : {optimizer_kind::adagrad, optimizer_kind::sgd}) {
    options.optimizer = by;
    // With larger ones of sgd a worker that is away for long undoes much of what the other one did.
    for (planned& lane : lanes) lane.step *= by == optimizer_kind::sgd ? 0.1 : 1.0;
    const auto expected = trained(options, serial_engine{});
    for (const sharing_kind sharing : {sharing_kind::automatic, sharing_kind::direct, sharing_kind::buffered}) {
      for (const update_kind update : {update_kind::lossy, update_kind::exact}) {
        train_options o = options;
        o.sharing = sharing, o.update = update;
        const auto measured = trained(o, two);
        for (std::size_t k = 0; k < lanes.size(); ++k)
          EXPECT_LT(measured[k].loss, 1.1 * expected[k].loss + 0.02) << "lane " << k;
      }
    }
  }
}

TEST_F(lanes_of_factors, repeat_to_the_bit_by_any_number_of_threads) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  const sparse_view& of = rows_of();
  options.reproducible = true, options.virtual_workers = 3;
  for (const optimizer_kind by : both_optimizers) {
    options.optimizer = by;
    const auto lanes = random_lanes(8, 0.3);
    const prepared_task made = prepare(machine_of(5), of, options);
    const auto trained_by = [&](std::size_t workers) {
      const thread_engine threads{.workers = workers, .team = thread_team_kind::std, .pin = false};
      lane_run run = placed(made, lanes, threads);
      for (std::size_t pass = 1; pass <= 3; ++pass) run.train(pass, steps_of(lanes));
      std::vector<std::vector<float>> all;
      for (std::size_t k = 0; k < 8; ++k) all.push_back(run.parameters(k));
      return all;
    };
    const auto expected = trained_by(1);
    EXPECT_EQ(trained_by(2), expected);
    EXPECT_EQ(trained_by(3), expected);
    EXPECT_NE(expected[0], expected[1]);
  }
}

TEST_F(lanes_of_factors, pay_where_what_one_keeps_fits_the_second_level_cache) {
  const std::size_t fitting = level2_cache_bytes() / (9 * sizeof(float));
  EXPECT_TRUE(lanes_of_factors_pay(fitting, 8, optimizer_kind::sgd));
  EXPECT_FALSE(lanes_of_factors_pay(fitting + 1, 8, optimizer_kind::sgd));
  EXPECT_FALSE(lanes_of_factors_pay(fitting, 8, optimizer_kind::adagrad));
  EXPECT_TRUE(lanes_of_factors_pay(fitting / 2, 8, optimizer_kind::adagrad));
  rows_of();
  const prepared_task made = prepare(machine_of(4), view, options);
  EXPECT_TRUE(lane_task::pays(*made.task));
  EXPECT_EQ(lane_task::weights_of(*made.task), view.columns * 5);
}

TEST_F(lanes_of_factors, refuse_what_does_not_suit) {
  const sparse_view& of = rows_of();
  const factorization_machine m = machine_of(4);
  const auto refused = [&](const train_options& o) {
    const prepared_task made = prepare(m, of, o);
    EXPECT_FALSE(lane_run::suits(made));
    EXPECT_THROW(placed(made, std::vector<planned>(8, {0.1, 0.0})), config_error);
  };
  EXPECT_TRUE(lane_run::suits(prepare(m, of, options)));
  EXPECT_TRUE(lane_run::suits(prepare(m, of, {.optimizer = optimizer_kind::sgd})));
  refused({.optimizer = optimizer_kind::row_adagrad});
  refused({.l1 = 1e-4, .optimizer = optimizer_kind::sgd});
  refused({.freeze = {"bias"}});
  EXPECT_FALSE(lane_run::suits(prepare(m, of, {.step = {.kind = schedule_kind::linear}})));
  const prepared_task without = prepare(m, of, {.l2 = 0.0});
  lane_run run = placed(without, std::vector<planned>(8, {0.1, 0.0}));
  EXPECT_THROW(run.place(0, {.l2 = 1e-3}), config_error);
  // Steps by the mean of many rows need the sums of all of them.
  const sync_engine gradients{.workers = 2, .rule = sync_rule::gradients, .pin = false};
  const prepared_task made = prepare(m, of, options);
  EXPECT_THROW(placed(made, std::vector<planned>(8, {0.1, 0.0}), gradients), config_error);
}

}  // namespace
}  // namespace hogwild
