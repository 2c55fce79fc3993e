// SPDX-License-Identifier: Apache-2.0
// Models of one family side by side, beyond the law that holds for all families (lane_law_test).
#include <hogwild/detail/run/lane_run.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/platform/topology.hpp>
#include <hogwild/detail/task/lane_loops.hpp>
#include <hogwild/models/factorization_machine.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/softmax.hpp>
#include <hogwildpp/ring_engine.hpp>

#include "support/lanes_alone.hpp"

namespace hogwild {
namespace {

/// Margin models whose steps, l1 and l2 are stable in a batch of 16 rows.
struct eight_lanes : test::lanes_alone {
  eight_lanes() {
    take(test::planted_classification({.rows = 700, .columns = 300, .per_row = 13}));
    options.batch = 1;
  }
  std::vector<planned> lanes{{0.05, 0.0},  {0.1, 1e-3}, {0.2, 1e-4}, {0.01, 1e-2},
                             {0.05, 1e-5}, {0.1, 0.0},  {0.2, 1e-3}, {0.01, 1e-6}};

  /// Without l1 at first, then with l1.
  template <class F>
  void each_way(const F& f) {
    f();
    SCOPED_TRACE("with l1");
    options.l1 = 1e-4;
    for (std::size_t k = 0; k < 8; ++k) lanes[k].l1 = std::vector{1e-4, 1e-3, 3e-4, 1e-5, 1e-4, 2e-3, 1e-6, 1e-4}[k];
    f();
  }
  prepared_task ready() const { return prepare(logistic{}, rows->view(), options); }
  template <class Engine = serial_engine>
  lane_run trained(const prepared_task& made, std::size_t passes, const Engine& engine = {}) const {
    lane_run run = placed(made, lanes, engine);
    for (std::size_t pass = 1; pass <= passes; ++pass) run.train(pass, steps_of(lanes));
    return run;
  }
};

TEST_F(eight_lanes, have_an_l1_each_or_none_has) {
  const prepared_task without = ready();
  lane_run plain = placed(without, lanes);
  EXPECT_THROW(plain.place(0, {.l1 = 1e-3}), config_error);
  options.l1 = 1e-3;
  for (planned& lane : lanes) lane.l1 = 1e-3;
  const prepared_task with = ready();
  lane_run proximal = placed(with, lanes);
  EXPECT_THROW(proximal.place(0, {.l2 = 1e-3}), config_error);
  // A division by 1 + step * l2 * n / degree cannot overshoot.
  proximal.place(0, {.l1 = 1e-3, .l2 = 30.0});
  proximal.train(1, std::vector<double>(8, 0.1));
  EXPECT_TRUE(std::isfinite(proximal.measure(*rows, lane_task::rows_of_lane::all, false)[0].loss));
}

// Weights that step * l2 shrinks below 1e-6 within a pass are folded at gates in its middle; the other models go on.
TEST_F(eight_lanes, that_shrink_far_are_folded_and_leave_the_others_alone) {
  lanes[3].l2 = 3.0;
  const prepared_task made = ready();
  const lane_run run = trained(made, 2);
  for (std::size_t k = 0; k < 8; ++k) {
    const std::vector<float> w = alone(logistic{}, *rows, lanes[k], 2).parameters;
    if (k != 3) {
      EXPECT_EQ(run.parameters(k), w);
    }
    for (std::size_t j = 0; j < w.size(); ++j) ASSERT_NEAR(run.parameters(k)[j], w[j], 1e-6f + 1e-4f * std::abs(w[j]));
  }
}

TEST_F(eight_lanes, that_shrink_far_do_not_notice_which_others_do) {
  const prepared_task made = ready();
  const auto beside = [&](double l2_of_another) {
    lanes[3].l2 = 3.0, lanes[6].l2 = l2_of_another;  // 2 parts beside 1, 8 or 64
    return trained(made, 2).parameters(3);
  };
  EXPECT_EQ(beside(0.0), beside(0.5));
  EXPECT_EQ(beside(0.0), beside(4.5));
}

// Rows of weight 0 change nothing either, where there is no l2.
TEST_F(eight_lanes, without_l2_are_as_trained_on_rows_whose_fold_weighs_nothing) {
  std::vector<std::uint8_t> fold;
  for (std::size_t r = 0; r < rows->rows(); ++r) fold.push_back(static_cast<std::uint8_t>(r % 3));
  const prepared_task made = ready();
  lanes.assign(8, {0.05, 0.0});
  lane_run run = placed(made, lanes);
  run.deal(fold);
  for (std::uint32_t k = 0; k < 8; ++k) run.place(k, lanes[k].asked({.held_out = k < 3 ? k : lane_rows::none}));
  run.train(1, steps_of(lanes));
  EXPECT_EQ(run.parameters(3), alone(logistic{}, *rows, lanes[3], 1).parameters);
  const auto seen = run.measure(*rows, lane_task::rows_of_lane::trained_on, false);
  const auto held = run.measure(*rows, lane_task::rows_of_lane::held_out, false);
  for (std::size_t k = 0; k < 3; ++k) {
    std::vector<float> weight;
    for (const std::uint8_t f : fold) weight.push_back(f == k ? 0.0f : 1.0f);
    EXPECT_LT(difference(run.parameters(k), weighed(logistic{}, weight)), 1e-6);
    EXPECT_LT(seen[k].loss, held[k].loss) << "it was trained on what it is measured on";
  }
}

// The mean of n draws lies within six deviations, 6 / sqrt(n), of 1, except once in 10^9 times; the variance of a
// squared distance of this distribution is 3 (its fourth moment is 4).
TEST(bootstrap, counts_have_mean_and_variance_one) {
  const std::uint64_t seed = std::random_device{}() | 1u;
  constexpr std::size_t n = 1'000'000;
  double sum = 0.0, squares = 0.0;
  for (std::size_t r = 0; r < n; ++r) {
    const auto count = static_cast<double>(bootstrap_count(seed, r));
    sum += count;
    squares += (count - 1.0) * (count - 1.0);
  }
  EXPECT_NEAR(sum / n, 1.0, 6.0 / std::sqrt(double{n})) << "seed " << seed;
  EXPECT_NEAR(squares / n, 1.0, 6.0 * std::sqrt(3.0 / n)) << "seed " << seed;
}

TEST_F(eight_lanes, tell_one_class_from_the_others) {
  const auto with_labels = [&](const auto& label) {
    test::toy_rows made = *rows;
    for (std::size_t r = 0; r < made.rows(); ++r) made.label[r] = static_cast<float>(label(r % 3));
    return test::kept_rows(std::move(made));
  };
  const test::kept_rows of = with_labels([](std::size_t r) { return r; });
  const label_map classes = label_map::learn(label_kind::classes, of.view().label, "here");
  const auto kept = std::make_shared<const logistic>();
  const prepared_task binary = ready();
  const std::shared_ptr<const training_task> task = make_margin_task(
      kept, margin_loss(*kept), facts_of(*kept, of, binary.task->options()), of, classes, binary.task->options());
  lane_run run(task, task->options(), 8, std::make_unique<engine_of<serial_engine>>(serial_engine{}));
  for (std::uint32_t k = 0; k < 3; ++k) run.place(k, {.l2 = 1e-4, .rows = {.positive = k}});
  run.train(1, std::vector<double>(8, 0.05));
  for (std::size_t k = 0; k < 3; ++k) {
    const test::kept_rows against = with_labels([k](std::size_t r) { return r == k ? 1 : -1; });
    EXPECT_EQ(run.parameters(k), alone(logistic{}, against, {0.05, 1e-4}, 1).parameters);
  }
}

TEST_F(eight_lanes, in_lockstep_make_the_bits_that_each_makes_alone) {
  take(test::planted_classification({.rows = 160, .columns = 3000, .per_row = 13}));
  options.bias = true;
  const auto expect_same = [&](const sync_engine& engine) {
    const prepared_task made = ready();
    const lane_run run = trained(made, 2, engine);
    for (std::size_t k = 0; k < 8; ++k)
      EXPECT_EQ(run.parameters(k), alone(logistic{}, *rows, lanes[k], 2, engine).parameters)
          << "lane " << k << ", " << engine.rows.value_or(0) << " rows";
    return *run.workers().meetings();
  };
  for (const std::size_t workers : {1u, 2u}) {
    sync_engine engine{.workers = workers, .rule = sync_rule::gradients, .rows = 4, .pin = false};
    EXPECT_EQ(expect_same(engine).dense, 0u);  // few gains, sent with their places
    engine.rows = 80;
    EXPECT_EQ(expect_same(engine).sparse, 0u);
    engine.rule = sync_rule::average;
    each_way([&] { expect_same(engine); });
    options.l1 = 0.0;
    for (planned& lane : lanes) lane.l1 = 0.0;
  }
}

TEST_F(eight_lanes, on_a_ring_end_as_well) {
  each_way([&] {
    const prepared_task made = ready();
    const auto measured_by = [&](const auto& engine) {
      return trained(made, 10, engine).measure(*rows, lane_task::rows_of_lane::all, false);
    };
    const auto expected = measured_by(serial_engine{});
    for (const ring_rule rule : {ring_rule::deltas, ring_rule::average}) {
      for (const std::size_t workers : {2u, 4u}) {
        const auto measured = measured_by(
            ring_engine{.workers = workers, .replicas = 2, .rule = rule, .team = thread_team_kind::std, .pin = false});
        // The mean of gains of two is half as far.
        const double factor = rule == ring_rule::deltas ? 1.1 : 1.5;
        for (std::size_t k = 0; k < 8; ++k)
          EXPECT_LT(measured[k].loss, factor * expected[k].loss + 0.01) << "lane " << k;
      }
    }
  });
}

struct lanes_of_factors : test::lanes_alone {
  lanes_of_factors() { take(test::planted_classification({.rows = 500, .columns = 90, .per_row = 11})); }
  const factorization_machine m{.features = 90, .factors = 4};
};

TEST_F(lanes_of_factors, go_back_to_what_they_and_their_sums_were) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  const auto lanes = random_lanes(8);
  const prepared_task made = prepare(m, *rows, options);
  lane_run run = placed(made, lanes);
  run.train(1, steps_of(lanes));
  const lane_run::all_kept before = run.kept();
  for (int again = 0; again < 2; ++again) {
    run.train(2, steps_of(lanes));
    for (std::size_t k = 0; k < 8; ++k)
      ASSERT_EQ(run.parameters(k), alone(m, *rows, lanes[k], 2).parameters) << "lane " << k;
    run.go_back(before);
  }
}

TEST_F(lanes_of_factors, pay_where_what_one_keeps_fits_the_second_level_cache) {
  const std::size_t fitting = level2_cache_bytes() / (9 * sizeof(float));
  EXPECT_TRUE(lanes_of_factors_pay(fitting, 8, optimizer_kind::sgd));
  EXPECT_FALSE(lanes_of_factors_pay(fitting + 1, 8, optimizer_kind::sgd));
  EXPECT_FALSE(lanes_of_factors_pay(fitting, 8, optimizer_kind::adagrad));
  EXPECT_TRUE(lanes_of_factors_pay(fitting / 2, 8, optimizer_kind::adagrad));
  const prepared_task made = prepare(m, *rows, options);
  EXPECT_TRUE(lane_task::pays(*made.task));
  EXPECT_EQ(lane_task::weights_of(*made.task), 90 * 5);
}

struct lanes_refuse : test::lanes_alone {
  template <class M, class Engine = serial_engine>
  void expect_refused(const M& m, const train_options& o, bool suits = false, std::size_t n = 8,
                      const Engine& engine = {}) const {
    const prepared_task made = prepare(m, *rows, o);
    EXPECT_EQ(lane_run::suits(made), suits);
    EXPECT_THROW(placed(made, std::vector<planned>(n, {0.1, 0.0, o.l1}), engine), config_error);
  }
  template <class M>
  bool suits(const M& m, const train_options& o) const {
    return lane_run::suits(prepare(m, *rows, o));
  }
  /// Columns are not counted where no model has an l2.
  template <class M>
  void expect_no_l2_without_counts(const M& m) const {
    const prepared_task without = prepare(m, *rows, {.l2 = 0.0});
    lane_run run = placed(without, std::vector<planned>(8, {0.1, 0.0}));
    EXPECT_THROW(run.place(0, {.l2 = 1e-3}), config_error);
  }
};

TEST_F(lanes_refuse, what_margin_models_have_not) {
  take(test::planted_classification({.rows = 700, .columns = 300, .per_row = 13}));
  expect_refused(logistic{}, {.optimizer = optimizer_kind::adagrad, .batch = 1});
  expect_refused(logistic{}, {.batch = 1}, true, 7);
  expect_refused(logistic{}, {.l1 = 1e-3, .batch = 1}, true, 8, sync_engine{.workers = 2});
  const prepared_task made = prepare(logistic{}, *rows, {.batch = 1});
  lane_run run = placed(made, std::vector<planned>(8, {0.1, 0.0}));
  run.place(0, {.l2 = 2.0});
  EXPECT_THROW(run.train(1, std::vector<double>(8, 0.5)), config_error);
  EXPECT_THROW(run.place(1, {}, std::vector<float>(3)), config_error);
}

TEST_F(lanes_refuse, what_classes_have_not) {
  const softmax m{.features = 120, .classes = 3, .bias = true};
  constexpr test::toy_shape shape{.rows = 600, .columns = 120, .per_row = 11};
  take(test::planted_classes(shape, 3));
  EXPECT_TRUE(suits(m, {}));
  expect_refused(m, {.optimizer = optimizer_kind::adagrad});
  expect_refused(m, {.l1 = 1e-4});
  expect_refused(m, {.freeze = {"bias"}});
  EXPECT_FALSE(suits(m, {.step = {.kind = schedule_kind::linear}}));
  expect_no_l2_without_counts(m);
  take(test::planted_lists(shape, 3));
  EXPECT_FALSE(suits(m, {}));
}

TEST_F(lanes_refuse, what_machines_have_not) {
  const factorization_machine m{.features = 90, .factors = 4};
  take(test::planted_classification({.rows = 500, .columns = 90, .per_row = 11}));
  EXPECT_TRUE(suits(m, {}));
  EXPECT_TRUE(suits(m, {.optimizer = optimizer_kind::sgd}));
  expect_refused(m, {.optimizer = optimizer_kind::row_adagrad});
  expect_refused(m, {.l1 = 1e-4, .optimizer = optimizer_kind::sgd});
  expect_refused(m, {.freeze = {"bias"}});
  EXPECT_FALSE(suits(m, {.step = {.kind = schedule_kind::linear}}));
  expect_no_l2_without_counts(m);
  // Steps by the mean of many rows need the sums of all of them.
  expect_refused(m, {}, true, 8, sync_engine{.workers = 2, .rule = sync_rule::gradients, .pin = false});
}

}  // namespace
}  // namespace hogwild
