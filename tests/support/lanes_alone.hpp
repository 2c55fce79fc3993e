// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
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
  /// A model's step and l2.
  struct planned {
    double step, l2;
  };

  const std::uint64_t seed = std::random_device{}();
  std::mt19937_64 random{seed};
  const thread_engine one{.workers = 1, .team = thread_team_kind::std, .pin = false};
  const thread_engine two{.workers = 2, .team = thread_team_kind::std, .pin = false};
  train_options options{};

  /// Makes these the rows, which live until the next call.
  const sparse_view& take(toy_rows made) {
    toy = std::move(made);
    rows = std::make_unique<csr_rows>(toy.csr());
    view = rows->view();
    return view;
  }
  std::vector<planned> random_lanes(std::size_t n, double largest_step = 1.0) {
    std::uniform_real_distribution<double> of(0.0, 1.0);
    std::vector<planned> all(n);
    for (planned& lane : all)
      lane = {largest_step * std::pow(10.0, -2.0 * of(random)),
              of(random) < 0.2 ? 0.0 : std::pow(10.0, -6.0 + 4.0 * of(random))};
    return all;
  }
  static std::vector<double> steps_of(const std::vector<planned>& lanes) {
    std::vector<double> steps;
    for (const planned& lane : lanes) steps.push_back(lane.step);
    return steps;
  }
  /// A run of lanes on prepared rows, with the planned models placed. `made` must outlive it.
  template <class Engine = serial_engine>
  static lane_run placed(const prepared_task& made, const std::vector<planned>& lanes, const Engine& engine = {}) {
    lane_run run({std::shared_ptr<const void>(), made.task.get()}, made.data.options(), lanes.size(), 1.0,
                 std::make_unique<engine_of<Engine>>(engine));
    for (std::size_t k = 0; k < lanes.size(); ++k) run.place(k, {.l2 = lanes[k].l2});
    return run;
  }
  template <class M, class Engine = serial_engine>
  train_result alone(const M& m, const sparse_view& of, const planned& lane, std::size_t epochs,
                     const Engine& engine = {}) const {
    train_options o = options;
    o.epochs = epochs, o.l2 = lane.l2, o.step = {.initial = lane.step, .kind = schedule_kind::constant};
    return train(m, of, engine, o);
  }
  template <class M, class Engine = serial_engine>
  void expect_same_bits(const M& m, const sparse_view& of, std::size_t n, const Engine& engine = {},
                        double largest_step = 1.0) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(m.dim()) + " parameters, " + std::to_string(n) +
                 " lanes");
    const auto lanes = random_lanes(n, largest_step);
    const prepared_task made = prepare(m, of, options);
    lane_run run = placed(made, lanes, engine);
    for (std::size_t pass = 1; pass <= 3; ++pass) {
      run.train(pass, steps_of(lanes));
      run.place(pass, {.l2 = lanes[pass].l2}, run.kept(pass));  // put aside and taken up again
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
  /// The rows that are not of this fold.
  csr_rows without(const std::vector<std::uint8_t>& fold, std::uint32_t held_out) {
    left = toy;
    left.row_start = {0}, left.index.clear(), left.value.clear(), left.label.clear();
    for (std::size_t r = 0; r < toy.rows(); ++r) {
      if (fold[r] == held_out) continue;
      for (std::size_t e = toy.row_start[r]; e < toy.row_start[r + 1]; ++e)
        left.index.push_back(toy.index[e]), left.value.push_back(toy.value[e]);
      left.row_start.push_back(left.index.size()), left.label.push_back(toy.label[r]);
    }
    return left.csr();
  }
  static double difference(const std::vector<float>& a, const std::vector<float>& b) {
    double most = 0.0;
    for (std::size_t j = 0; j < a.size(); ++j) most = std::max(most, std::abs(double{a[j]} - double{b[j]}));
    return most;
  }

  toy_rows toy{}, left{};
  std::unique_ptr<csr_rows> rows{};
  sparse_view view{};
};

}  // namespace hogwild::test
