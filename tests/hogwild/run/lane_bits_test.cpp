// SPDX-License-Identifier: Apache-2.0
// Models side by side by one thread have the bits of each of them alone.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/run/lane_run.hpp>
#include <hogwild/hogwild.hpp>
#include <hogwild/models/hinge_svm.hpp>
#include <hogwild/models/logistic.hpp>

#include "support/toy_data.hpp"

namespace hogwild {
namespace {

struct planned_lane {
  double step, l1, l2;

  lane_settings asked() const { return {.l1 = l1, .l2 = l2}; }
};

std::vector<planned_lane> random_lanes(std::size_t n, std::uint64_t seed, bool with_l1) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> of(0.0, 1.0);
  std::vector<planned_lane> made(n);
  for (planned_lane& lane : made)
    lane = {std::pow(10.0, -2.0 + 2.0 * of(random)), with_l1 ? std::pow(10.0, -5.0 + 3.0 * of(random)) : 0.0,
            of(random) < 0.2 ? 0.0 : std::pow(10.0, -6.0 + 4.0 * of(random))};
  if (with_l1) made[1].l1 = 0.01;  // which leaves weights that are 0
  return made;
}

template <class M>
void expect_same_bits(const M& m, const sparse_view& rows, train_options options, std::size_t lanes) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  const auto planned = random_lanes(lanes, seed, options.l1 > 0.0);
  options.epochs = 4;
  const prepared_task made = prepare(m, rows, options);
  lane_run together({std::shared_ptr<const void>(), made.task.get()}, made.data.options(), lanes, 1.0,
                    std::make_unique<engine_of<serial_engine>>(serial_engine{}));
  std::vector<double> steps;
  for (std::size_t k = 0; k < lanes; ++k) {
    together.place(k, planned[k].asked());
    steps.push_back(planned[k].step);
  }
  for (std::size_t pass = 1; pass <= options.epochs; ++pass) {
    together.train(pass, steps);
    // Put aside and taken up again.
    together.place(pass % lanes, planned[pass % lanes].asked(), together.kept(pass % lanes));
  }
  const auto measured = together.measure(rows, lane_task::rows_of_lane::all, false);
  const auto penalties = together.penalties();
  for (std::size_t k = 0; k < lanes; ++k) {
    SCOPED_TRACE("lane " + std::to_string(k));
    options.step = {.initial = planned[k].step, .kind = schedule_kind::constant};
    options.l1 = planned[k].l1, options.l2 = planned[k].l2;
    const train_result alone = train(m, rows, serial_engine{}, options);
    ASSERT_EQ(together.parameters(k), alone.parameters);
    EXPECT_NEAR(measured[k].loss, alone.train_loss, 1e-6 * alone.train_loss);
    EXPECT_NEAR(measured[k].loss + penalties[k], alone.objective, 1e-6 * alone.objective);
  }
}

struct lane_bits : testing::Test {
  test::toy_rows toy = test::planted_classification({.rows = 700, .columns = 300, .per_row = 13});
  csr_rows rows = toy.csr();
};

TEST_F(lane_bits, each_makes_the_bits_that_it_makes_alone) {
  for (const isa set : {isa::scalar, isa::avx2, isa::avx512})
    if (has_isa(set)) expect_same_bits(logistic{}, rows.view(), {.bias = true, .batch = 3, .isa = set}, 16);
  for (const std::size_t n : {8u, 16u, 32u}) {
    expect_same_bits(logistic{}, rows.view(), {.batch = 1}, n);
    expect_same_bits(hinge_svm{}, rows.view(), {.bias = false, .batch = 1}, n);
  }
  expect_same_bits(logistic{}, rows.view(), {.batch = 16}, 8);
  expect_same_bits(logistic{}, rows.view(), {.order = row_order::permuted, .batch = 5}, 8);
}

TEST_F(lane_bits, each_with_l1_makes_the_bits_that_it_makes_alone) {
  for (const isa set : {isa::scalar, isa::avx2, isa::avx512})
    if (has_isa(set)) expect_same_bits(logistic{}, rows.view(), {.l1 = 1e-4, .bias = true, .isa = set}, 16);
  for (const std::size_t n : {8u, 16u, 32u}) {
    expect_same_bits(logistic{}, rows.view(), {.l1 = 1e-4}, n);
    expect_same_bits(hinge_svm{}, rows.view(), {.l1 = 1e-4, .bias = false}, n);
  }
  expect_same_bits(logistic{}, rows.view(), {.l1 = 1e-4, .order = row_order::permuted, .bias = true}, 8);
}

}  // namespace
}  // namespace hogwild
