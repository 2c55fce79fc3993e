// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/run/lane_run.hpp>
#include <hogwild/hogwild.hpp>

#include "support/toy_data.hpp"

namespace hogwild::test {

/// Compares models that are trained side by side with each of them trained alone.
struct lanes_alone : testing::Test {
  /// The settings in which the models may differ.
  struct planned {
    double step, l2, l1 = 0.0;

    lane_settings asked(const lane_rows& of = {}) const { return {.l1 = l1, .l2 = l2, .rows = of}; }
  };

  const std::uint64_t seed = std::random_device{}();
  std::mt19937_64 random{seed};
  const thread_engine one{.workers = 1, .team = thread_team_kind::std, .pin = false};
  const thread_engine two{.workers = 2, .team = thread_team_kind::std, .pin = false};
  train_options options{};

  /// Makes these the rows, which live until the next call.
  sparse_view take(toy_rows made) {
    rows.emplace(std::move(made));
    return rows->view();
  }
  /// They have an l1 if the options have one.
  std::vector<planned> random_lanes(std::size_t n, double largest_step = 1.0) {
    std::uniform_real_distribution<double> of(0.0, 1.0);
    std::vector<planned> all(n);
    for (planned& lane : all) {
      lane = {largest_step * std::pow(10.0, -2.0 * of(random)),
              of(random) < 0.2 ? 0.0 : std::pow(10.0, -6.0 + 4.0 * of(random))};
      if (options.l1 > 0.0) lane.l1 = std::pow(10.0, -5.0 + 3.0 * of(random));
    }
    if (options.l1 > 0.0) all[1].l1 = 0.01;  // which leaves weights that are 0
    return all;
  }
  static std::vector<double> steps_of(const std::vector<planned>& lanes) {
    std::vector<double> steps;
    for (const planned& lane : lanes) steps.push_back(lane.step);
    return steps;
  }
  static std::vector<std::vector<float>> parameters_of(const lane_run& run) {
    std::vector<std::vector<float>> all;
    for (std::size_t k = 0; k < run.lanes(); ++k) all.push_back(run.parameters(k));
    return all;
  }
  /// A run of lanes on prepared rows, with the planned models placed. `made` must outlive it.
  template <class Engine = serial_engine>
  static lane_run placed(const prepared_task& made, const std::vector<planned>& lanes, const Engine& engine = {}) {
    lane_run run({std::shared_ptr<const void>(), made.task.get()}, made.data.options(), lanes.size(), 1.0,
                 std::make_unique<engine_of<Engine>>(engine));
    for (std::size_t k = 0; k < lanes.size(); ++k) run.place(k, lanes[k].asked());
    return run;
  }
  template <class M, class Engine = serial_engine>
  train_result alone(const M& m, const sparse_view& of, const planned& lane, std::size_t epochs,
                     const Engine& engine = {}) const {
    train_options o = options;
    o.epochs = epochs, o.l1 = lane.l1, o.l2 = lane.l2;
    o.step = {.initial = lane.step, .kind = schedule_kind::constant};
    return train(m, of, engine, o);
  }
  template <class M, class Engine = serial_engine>
  void expect_same_bits(const M& m, const sparse_view& of, std::size_t n, const Engine& engine = {},
                        double largest_step = 1.0) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(of.columns) + " columns, " + std::to_string(n) +
                 " lanes");
    const auto lanes = random_lanes(n, largest_step);
    const prepared_task made = prepare(m, of, options);
    lane_run run = placed(made, lanes, engine);
    for (std::size_t pass = 1; pass <= 3; ++pass) {
      run.train(pass, steps_of(lanes));
      run.place(pass, lanes[pass].asked(), run.kept(pass));  // put aside and taken up again
    }
    const auto measured = run.measure(of, lane_task::rows_of_lane::all, true);
    const auto penalties = run.penalties();
    for (std::size_t k = 0; k < n; ++k) {
      const train_result by_itself = alone(m, of, lanes[k], 3, engine);
      ASSERT_EQ(run.parameters(k), by_itself.parameters) << "lane " << k;
      EXPECT_NEAR(measured[k].loss, by_itself.train_loss, 1e-6 * by_itself.train_loss);
      EXPECT_NEAR(measured[k].loss + penalties[k], by_itself.objective, 1e-6 * by_itself.objective);
    }
  }
  /// One pass without l2 over rows of these weights, with a step of 0.05 for rows of weight 1: weights count over their
  /// mean.
  template <class M>
  std::vector<float> weighed(const M& m, const std::vector<float>& weight) const {
    const double mean = std::accumulate(weight.begin(), weight.end(), 0.0) / static_cast<double>(weight.size());
    sparse_view of = rows->view();
    of.weight = weight;
    return alone(m, of, {0.05 * mean, 0.0}, 1).parameters;
  }
  /// The rows that are not of this fold.
  kept_rows without(const std::vector<std::uint8_t>& fold, std::uint32_t held_out) const {
    toy_rows left;
    left.columns = rows->columns;
    for (std::size_t r = 0; r < rows->rows(); ++r)
      if (fold[r] != held_out) left.push_row(*rows, r);
    return left;
  }
  static double difference(const std::vector<float>& a, const std::vector<float>& b) {
    double most = 0.0;
    for (std::size_t j = 0; j < a.size(); ++j) most = std::max(most, std::abs(double{a[j]} - double{b[j]}));
    return most;
  }

  std::optional<kept_rows> rows{};
};

}  // namespace hogwild::test
