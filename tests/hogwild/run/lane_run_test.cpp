// SPDX-License-Identifier: Apache-2.0
// Models side by side against each of them alone.
#include <hogwild/detail/run/lane_run.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/hogwild.hpp>
#include <hogwild/models/hinge_svm.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/models/logistic.hpp>

#include "support/toy_data.hpp"

namespace hogwild {
namespace {

struct lane_test : testing::Test {
  static constexpr std::size_t lanes = 8, epochs = 4;

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

struct planned_lane {
  double step, l2;
};

std::vector<planned_lane> random_lanes(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> of(0.0, 1.0);
  std::vector<planned_lane> made(n);
  for (planned_lane& lane : made)
    lane = {std::pow(10.0, -2.0 + 2.0 * of(random)), of(random) < 0.2 ? 0.0 : std::pow(10.0, -6.0 + 4.0 * of(random))};
  return made;
}

template <class M>
void expect_same_bits(const M& m, const sparse_view& rows, train_options options, std::size_t lanes) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  const auto planned = random_lanes(lanes, seed);
  options.epochs = lane_test::epochs;
  const auto made = lane_test::ready(m, rows, options);
  lane_run together = lane_test::start(made, lanes, 1.0);
  std::vector<double> steps;
  for (std::size_t k = 0; k < lanes; ++k) {
    together.place(k, {.l2 = planned[k].l2});
    steps.push_back(planned[k].step);
  }
  for (std::size_t pass = 1; pass <= lane_test::epochs; ++pass) together.train(pass, steps);
  const auto measured = together.measure(rows, lane_task::rows_of_lane::all, true);
  const auto penalties = together.penalties();
  for (std::size_t k = 0; k < lanes; ++k) {
    SCOPED_TRACE("lane " + std::to_string(k));
    options.step = {.initial = planned[k].step, .kind = schedule_kind::constant};
    options.l2 = planned[k].l2;
    const train_result alone = train(m, rows, serial_engine{}, options);
    ASSERT_EQ(together.parameters(k), alone.parameters);
    EXPECT_NEAR(measured[k].loss, alone.train_loss, 1e-6 * alone.train_loss);
    EXPECT_NEAR(measured[k].loss + penalties[k], alone.objective, 1e-6 * alone.objective);
  }
}

TEST_F(lane_test, each_makes_the_bits_that_it_makes_alone) {
  for (const std::size_t n : {8u, 16u, 32u}) {
    expect_same_bits(logistic{}, rows.view(), {.batch = 1}, n);
    expect_same_bits(hinge_svm{}, rows.view(), {.bias = false, .batch = 1}, n);
  }
  expect_same_bits(logistic{}, rows.view(), {.batch = 16}, 8);
  expect_same_bits(logistic{}, rows.view(), {.order = row_order::permuted, .batch = 5}, 8);
}

}  // namespace
}  // namespace hogwild
