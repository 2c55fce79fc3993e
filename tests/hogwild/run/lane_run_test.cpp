// SPDX-License-Identifier: Apache-2.0
// Models side by side against each of them alone.
#include <hogwild/detail/run/lane_run.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/hogwild.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwildpp/ring_engine.hpp>

#include "support/toy_data.hpp"

namespace hogwild {
namespace {

struct lane_test : testing::Test {
  static constexpr std::size_t lanes = 8;

  template <class M>
  static prepared_task ready(const M& m, const sparse_view& rows, const train_options& options) {
    return prepare(m, rows, options);
  }
  /// Those of `made`, which lives longer.
  static std::shared_ptr<const training_task> task_of(const prepared_task& made) {
    return {std::shared_ptr<const void>(), made.task.get()};
  }
  static lane_run start(const prepared_task& made, std::size_t n = lanes, double largest_step = 0.5) {
    return {task_of(made), made.data.options(), n, largest_step,
            std::make_unique<engine_of<serial_engine>>(serial_engine{})};
  }

  test::toy_rows toy = test::planted_classification({.rows = 700, .columns = 300, .per_row = 13});
  csr_rows rows = toy.csr();
};

/// Steps, l1 and l2 of 8 lanes that a batch of 16 rows bears.
struct eight_lanes : lane_test {
  std::vector<double> steps{0.05, 0.1, 0.2, 0.01, 0.05, 0.1, 0.2, 0.01};
  std::vector<double> l1 = std::vector<double>(lanes), l2{0.0, 1e-3, 1e-4, 1e-2, 1e-5, 0.0, 1e-3, 1e-6};
  train_options options{.batch = 1};

  /// Without l1 at first, then with l1.
  template <class F>
  void each_way(const F& f) {
    f();
    SCOPED_TRACE("with l1");
    options.l1 = 1e-4;
    l1 = {1e-4, 1e-3, 3e-4, 1e-5, 1e-4, 2e-3, 1e-6, 1e-4};
    f();
  }
  lane_settings asked(std::size_t k, const lane_rows& of = {}) const { return {.l1 = l1[k], .l2 = l2[k], .rows = of}; }
  void place_all(lane_run& run) const {
    for (std::size_t k = 0; k < lanes; ++k) run.place(k, asked(k));
  }
  std::vector<std::vector<float>> parameters_of(const lane_run& run) const {
    std::vector<std::vector<float>> all;
    for (std::size_t k = 0; k < run.lanes(); ++k) all.push_back(run.parameters(k));
    return all;
  }
  /// A model without l2 after one pass with a step of 0.05 over rows that weigh so: weights count over their mean.
  std::vector<float> weighed(const std::vector<float>& weight) const {
    const double mean = std::accumulate(weight.begin(), weight.end(), 0.0) / static_cast<double>(weight.size());
    sparse_view of = rows.view();
    of.weight = weight;
    train_options o = options;
    o.epochs = 1, o.l2 = 0.0, o.step = {.initial = 0.05 * mean, .kind = schedule_kind::constant};
    return train(logistic{}, of, serial_engine{}, o).parameters;
  }
  static double difference(const std::vector<float>& a, const std::vector<float>& b) {
    double most = 0.0;
    for (std::size_t j = 0; j < a.size(); ++j) most = std::max(most, std::abs(double{a[j]} - double{b[j]}));
    return most;
  }
  std::vector<float> alone(std::size_t k, const sparse_view& of, std::size_t passes) const {
    return alone_by(serial_engine{}, k, of, passes);
  }
  template <class Engine>
  std::vector<float> alone_by(const Engine& engine, std::size_t k, const sparse_view& of, std::size_t passes) const {
    train_options o = options;
    o.epochs = passes, o.l1 = l1[k], o.l2 = l2[k];
    o.step = {.initial = steps[k], .kind = schedule_kind::constant};
    return train(logistic{}, of, engine, o).parameters;
  }
};

TEST_F(eight_lanes, heed_weights_and_offsets_of_rows) {
  sparse_view heavy = rows.view();
  std::vector<float> weight, offset;
  for (std::size_t r = 0; r < heavy.rows(); ++r) {
    weight.push_back(0.25f + static_cast<float>(r % 4));
    offset.push_back(0.1f * static_cast<float>(r % 7));
  }
  heavy.weight = weight, heavy.offset = offset;
  each_way([&] {
    const auto made = ready(logistic{}, heavy, options);
    lane_run run = start(made);
    place_all(run);
    run.train(1, steps);
    run.train(2, steps);
    for (std::size_t k = 0; k < lanes; ++k) EXPECT_EQ(run.parameters(k), alone(k, heavy, 2));
  });
}

TEST_F(eight_lanes, make_the_bits_that_each_makes_alone_by_a_worker_on_a_shared_array) {
  const thread_engine one{.workers = 1, .team = thread_team_kind::std, .pin = false};
  options.sharing = sharing_kind::direct, options.bias = true;
  for (const update_kind update : {update_kind::lossy, update_kind::exact}) {
    options.update = update, options.l1 = 0.0, l1.assign(lanes, 0.0);
    each_way([&] {
      const auto made = ready(logistic{}, rows.view(), options);
      lane_run run(task_of(made), made.data.options(), lanes, 0.2, std::make_unique<engine_of<thread_engine>>(one));
      place_all(run);
      run.train(1, steps);
      run.train(2, steps);
      for (std::size_t k = 0; k < lanes; ++k)
        EXPECT_EQ(run.parameters(k), alone_by(one, k, rows.view(), 2)) << "lane " << k;
    });
  }
}

TEST_F(eight_lanes, have_an_l1_each_or_none_has) {
  const auto without = ready(logistic{}, rows.view(), options);
  lane_run plain = start(without);
  EXPECT_THROW(plain.place(0, {.l1 = 1e-3}), config_error);
  options.l1 = 1e-3;
  const auto with = ready(logistic{}, rows.view(), options);
  lane_run proximal = start(with);
  EXPECT_THROW(proximal.place(0, {.l2 = 1e-3}), config_error);
  // A division by 1 + step * l2 * n / degree cannot overshoot.
  proximal.place(0, {.l1 = 1e-3, .l2 = 30.0});
  proximal.train(1, std::vector<double>(lanes, 0.1));
  EXPECT_TRUE(std::isfinite(proximal.measure(rows.view(), lane_task::rows_of_lane::all, false)[0].loss));
}

// A step * l2 that shrinks weights below 1e-6 within a pass has them folded at gates in its middle; the others go on.
TEST_F(eight_lanes, that_shrink_far_are_folded_and_leave_the_others_alone) {
  l2[3] = 3.0;
  const auto made = ready(logistic{}, rows.view(), options);
  lane_run run = start(made);
  place_all(run);
  run.train(1, steps);
  run.train(2, steps);
  for (std::size_t k = 0; k < lanes; ++k) {
    const std::vector<float> w = alone(k, rows.view(), 2);
    if (k != 3) {
      EXPECT_EQ(run.parameters(k), w);
    }
    for (std::size_t j = 0; j < w.size(); ++j) ASSERT_NEAR(run.parameters(k)[j], w[j], 1e-6f + 1e-4f * std::abs(w[j]));
  }
}

TEST_F(eight_lanes, that_shrink_far_do_not_notice_which_others_do) {
  const auto made = ready(logistic{}, rows.view(), options);
  const auto beside = [&](double l2_of_another) {
    l2[3] = 3.0, l2[6] = l2_of_another;  // 2 parts beside 1, 8 or 64
    lane_run run = start(made);
    place_all(run);
    run.train(1, steps);
    run.train(2, steps);
    return run.parameters(3);
  };
  EXPECT_EQ(beside(0.0), beside(0.5));
  EXPECT_EQ(beside(0.0), beside(4.5));
}

TEST_F(eight_lanes, are_dropped_and_refilled_and_the_others_do_not_notice) {
  l2[4] = 0.0;
  each_way([&] {
    const auto made = ready(logistic{}, rows.view(), options);
    lane_run run = start(made);
    place_all(run);
    run.train(1, steps);
    run.clear(2);
    std::vector<double> wild = steps;
    wild[4] = 1e30;  // diverges
    run.train(2, wild);
    const auto measured = run.measure(rows.view(), lane_task::rows_of_lane::all, false);
    EXPECT_TRUE(std::isnan(measured[2].loss));
    EXPECT_FALSE(measured[4].loss < 1e6);
    EXPECT_FALSE(run.trains(2));
    for (const float w : run.parameters(2)) EXPECT_EQ(w, 0.0f);
    run.place(2, asked(5), run.parameters(5));  // another lane's model goes on here
    run.place(4, asked(4));
    std::vector<double> moved = steps;
    moved[2] = steps[5];
    run.train(3, moved);
    for (const std::size_t k : {0u, 1u, 3u, 5u, 6u, 7u}) EXPECT_EQ(run.parameters(k), alone(k, rows.view(), 3));
    EXPECT_LT(difference(run.parameters(2), run.parameters(5)), 1e-6);
    EXPECT_TRUE(std::isfinite(run.measure(rows.view(), lane_task::rows_of_lane::all, false)[4].loss));
  });
}

TEST_F(eight_lanes, are_not_trained_on_the_fold_that_they_hold_out) {
  std::vector<std::uint8_t> fold;
  for (std::size_t r = 0; r < toy.label.size(); ++r) fold.push_back(static_cast<std::uint8_t>(r % 3));
  const auto made = ready(logistic{}, rows.view(), options);
  lane_run run = start(made);
  run.deal(fold);
  for (std::size_t k = 0; k < lanes; ++k)
    run.place(k, {.l2 = l2[0], .rows = {.held_out = k < 3 ? static_cast<std::uint32_t>(k) : lane_rows::none}});
  const std::vector<double> same(lanes, 0.05);
  run.train(1, same);
  // Rows of weight 0 change nothing either, where there is no l2.
  for (std::size_t k = 0; k < 3; ++k) {
    std::vector<float> weight;
    for (const std::uint8_t f : fold) weight.push_back(f == k ? 0.0f : 1.0f);
    EXPECT_LT(difference(run.parameters(k), weighed(weight)), 1e-6);
  }
  EXPECT_EQ(run.parameters(3), alone(0, rows.view(), 1));
  const auto all = run.measure(rows.view(), lane_task::rows_of_lane::all, false);
  const auto seen = run.measure(rows.view(), lane_task::rows_of_lane::trained_on, false);
  const auto held = run.measure(rows.view(), lane_task::rows_of_lane::held_out, false);
  const double n = static_cast<double>(fold.size());
  for (std::uint32_t k = 0; k < 3; ++k) {
    const auto part = static_cast<double>(std::ranges::count(fold, k));
    EXPECT_NEAR(all[k].loss, (held[k].loss * part + seen[k].loss * (n - part)) / n, 1e-9);
    EXPECT_LT(seen[k].loss, held[k].loss) << "it was trained on what it is measured on";
  }
}

// Each column is owed the l1 of the rows that are left.
TEST_F(eight_lanes, with_l1_are_as_trained_on_rows_from_which_the_fold_is_cut) {
  std::vector<std::uint8_t> fold;
  for (std::size_t r = 0; r < toy.label.size(); ++r) fold.push_back(static_cast<std::uint8_t>(r * r % 5 % 3));
  each_way([] {});
  options.bias = true;
  options.bias_rate = 0.5;  // else by the rows, which are others where they are cut
  const auto made = ready(logistic{}, rows.view(), options);
  lane_run run = start(made);
  run.deal(fold);
  for (std::size_t k = 0; k < lanes; ++k)
    run.place(k, asked(k, {.held_out = k < 6 ? static_cast<std::uint32_t>(k % 3) : lane_rows::none}));
  run.train(1, steps);
  run.train(2, steps);
  for (std::size_t k = 0; k < lanes; ++k) {
    test::toy_rows left = toy;
    left.row_start = {0}, left.index.clear(), left.value.clear(), left.label.clear();
    for (std::size_t r = 0; r < toy.label.size(); ++r) {
      if (k < 6 && fold[r] == k % 3) continue;
      for (std::size_t e = toy.row_start[r]; e < toy.row_start[r + 1]; ++e)
        left.index.push_back(toy.index[e]), left.value.push_back(toy.value[e]);
      left.row_start.push_back(left.index.size()), left.label.push_back(toy.label[r]);
    }
    const csr_rows cut = left.csr();
    EXPECT_EQ(run.parameters(k), alone(k, cut.view(), 2)) << "lane " << k;
  }
}

TEST_F(eight_lanes, count_rows_as_their_bootstrap_does) {
  const auto made = ready(logistic{}, rows.view(), options);
  lane_run run = start(made);
  for (std::size_t k = 0; k < lanes; ++k) run.place(k, {.rows = {.bootstrap = 1 + k % 4}});
  const std::vector<double> same(lanes, 0.05);
  run.train(1, same);
  for (std::size_t k = 0; k < 4; ++k) {
    std::vector<float> weight;
    for (std::size_t r = 0; r < toy.label.size(); ++r) weight.push_back(bootstrap_count(1 + k, r));
    EXPECT_LT(difference(run.parameters(k), weighed(weight)), 1e-6);
    EXPECT_EQ(run.parameters(k), run.parameters(k + 4));
    if (k > 0) {
      EXPECT_NE(run.parameters(k), run.parameters(0));
    }
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
  test::toy_rows three = toy;
  for (std::size_t r = 0; r < three.label.size(); ++r) three.label[r] = static_cast<float>(r % 3);
  const csr_rows of = three.csr();
  const label_map classes = label_map::learn(label_kind::classes, of.view().label, "here");
  const logistic model;
  const auto kept = std::make_shared<const logistic>(model);
  const auto binary = ready(model, rows.view(), options);
  const std::shared_ptr<const training_task> task =
      make_margin_task(kept, margin_loss(*kept), facts_of(*kept, of.view(), binary.task->options()), of.view(), classes,
                       binary.task->options());
  lane_run run(task, task->options(), lanes, std::make_unique<engine_of<serial_engine>>(serial_engine{}));
  for (std::uint32_t k = 0; k < 3; ++k) run.place(k, {.l2 = 1e-4, .rows = {.positive = k}});
  run.train(1, std::vector<double>(lanes, 0.05));
  for (std::size_t k = 0; k < 3; ++k) {
    test::toy_rows one = toy;
    for (std::size_t r = 0; r < one.label.size(); ++r) one.label[r] = r % 3 == k ? 1.0f : -1.0f;
    l2[k] = 1e-4, steps[k] = 0.05;
    const csr_rows against = one.csr();
    EXPECT_EQ(run.parameters(k), alone(k, against.view(), 1));
  }
}

TEST_F(eight_lanes, end_as_well_by_two_threads_in_every_way_of_sharing) {
  each_way([&] {
    const auto made = ready(logistic{}, rows.view(), options);
    lane_run serial = start(made);
    place_all(serial);
    const auto trained = [&](lane_run& run) {
      for (std::size_t pass = 1; pass <= 10; ++pass) run.train(pass, steps);
      return run.measure(rows.view(), lane_task::rows_of_lane::all, false);
    };
    const auto expected = trained(serial);
    const thread_engine two{.workers = 2, .team = thread_team_kind::std, .pin = false};
    for (const sharing_kind sharing :
         {sharing_kind::automatic, sharing_kind::direct, sharing_kind::buffered, sharing_kind::head}) {
      for (const update_kind update : {update_kind::lossy, update_kind::exact}) {
        train_options o = options;
        o.sharing = sharing, o.update = update;
        const auto by_two = ready(logistic{}, rows.view(), o);
        lane_run run(task_of(by_two), by_two.data.options(), lanes, 0.2,
                     std::make_unique<engine_of<thread_engine>>(two));
        place_all(run);
        const auto measured = trained(run);
        for (std::size_t k = 0; k < lanes; ++k)
          EXPECT_LT(measured[k].loss, 1.05 * expected[k].loss + 0.01) << "lane " << k;
      }
    }
  });
}

TEST_F(eight_lanes, repeat_to_the_bit_by_any_number_of_threads) {
  options.reproducible = true, options.virtual_workers = 3;
  each_way([&] {
    const auto made = ready(logistic{}, rows.view(), options);
    const auto by = [&](std::size_t workers) {
      const thread_engine threads{.workers = workers, .team = thread_team_kind::std, .pin = false};
      lane_run run(task_of(made), made.data.options(), lanes, 0.2, std::make_unique<engine_of<thread_engine>>(threads));
      place_all(run);
      for (std::size_t pass = 1; pass <= 3; ++pass) run.train(pass, steps);
      return parameters_of(run);
    };
    EXPECT_EQ(by(1), by(2));
    EXPECT_EQ(by(1), by(3));
  });
}

TEST_F(eight_lanes, in_lockstep_make_the_bits_that_each_makes_alone) {
  const test::toy_rows wide_toy = test::planted_classification({.rows = 160, .columns = 3000, .per_row = 13});
  const csr_rows wide = wide_toy.csr();
  options.bias = true;
  const auto expect_same = [&](const sync_engine& engine) {
    const auto made = ready(logistic{}, wide.view(), options);
    lane_run run(task_of(made), made.data.options(), lanes, 0.2, std::make_unique<engine_of<sync_engine>>(engine));
    place_all(run);
    run.train(1, steps);
    run.train(2, steps);
    for (std::size_t k = 0; k < lanes; ++k)
      EXPECT_EQ(run.parameters(k), alone_by(engine, k, wide.view(), 2))
          << "lane " << k << ", " << engine.rows.value_or(0) << " rows";
    return *run.workers().meetings();
  };
  for (const std::size_t workers : {1u, 2u}) {
    sync_engine engine{.workers = workers, .rule = sync_rule::gradients, .rows = 4, .pin = false};
    EXPECT_EQ(expect_same(engine).dense, 0u);  // few gains, which travel with their places
    engine.rows = 80;
    EXPECT_EQ(expect_same(engine).sparse, 0u);
    engine.rule = sync_rule::average;
    each_way([&] { expect_same(engine); });
    options.l1 = 0.0, l1.assign(lanes, 0.0);
  }
}

TEST_F(eight_lanes, on_a_ring_end_as_well) {
  each_way([&] {
    const auto made = ready(logistic{}, rows.view(), options);
    lane_run serial = start(made);
    place_all(serial);
    for (std::size_t pass = 1; pass <= 10; ++pass) serial.train(pass, steps);
    const auto expected = serial.measure(rows.view(), lane_task::rows_of_lane::all, false);
    for (const ring_rule rule : {ring_rule::deltas, ring_rule::average}) {
      for (const std::size_t workers : {2u, 4u}) {
        const ring_engine engine{
            .workers = workers, .replicas = 2, .rule = rule, .team = thread_team_kind::std, .pin = false};
        lane_run run(task_of(made), made.data.options(), lanes, 0.2, std::make_unique<engine_of<ring_engine>>(engine));
        place_all(run);
        for (std::size_t pass = 1; pass <= 10; ++pass) run.train(pass, steps);
        const auto measured = run.measure(rows.view(), lane_task::rows_of_lane::all, false);
        // The mean of gains of two is half as far.
        const double factor = rule == ring_rule::deltas ? 1.1 : 1.5;
        for (std::size_t k = 0; k < lanes; ++k)
          EXPECT_LT(measured[k].loss, factor * expected[k].loss + 0.01) << "lane " << k;
      }
    }
  });
}

TEST_F(eight_lanes, refuse_what_does_not_suit) {
  options.optimizer = optimizer_kind::adagrad;
  const auto other = ready(logistic{}, rows.view(), options);
  EXPECT_THROW(start(other), config_error);
  options.optimizer = {};
  const auto made = ready(logistic{}, rows.view(), options);
  EXPECT_THROW(start(made, 7), config_error);
  options.l1 = 1e-3;
  const auto with_l1 = ready(logistic{}, rows.view(), options);
  EXPECT_THROW(lane_run(task_of(with_l1), with_l1.data.options(), lanes, 0.2,
                        std::make_unique<engine_of<sync_engine>>(sync_engine{.workers = 2})),
               config_error);
  lane_run run = start(made);
  run.place(0, {.l2 = 2.0});
  EXPECT_THROW(run.train(1, std::vector<double>(lanes, 0.5)), config_error);
  EXPECT_THROW(run.place(1, {}, std::vector<float>(3)), config_error);
}

}  // namespace
}  // namespace hogwild
