// SPDX-License-Identifier: Apache-2.0
// The host form of the kernels of margin models against serial training in double precision, and with several threads.
#include <hogwild/detail/cuda/margin_rows.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/loop/margin_loss.hpp>
#include <hogwild/models/huber.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/quantile.hpp>
#include <hogwild/models/squared_hinge.hpp>

#include "margin_problem.hpp"
#include "support/fresh_seed.hpp"
#include "support/threads.hpp"

using namespace hogwild;

namespace {

double logistic_slope(double m, double y) {
  return -y / (1 + std::exp(m * y));
}

/// Ways to train; each has a setting that the others lack.
const test::margin_training trainings[] = {
    {},
    {.bias = true},
    {.scale = 0.25, .shrink = 0.999, .bias = true, .weighed = true},
    {.step = 0.1, .adagrad = true},
    {.step = 0.1, .l2_rows = 2, .adagrad = true, .bias = true, .weighed = true},
};

template <class Row>
struct host_margin_rows : test::fresh_seed<> {
  using problem = test::margin_problem<typename Row::index, typename Row::value>;

  /// The relative error after one pass over rows of these lengths.
  template <class Model, class Slope>
  double error(const Model& model, const Slope& slope, std::span<const std::size_t> lengths,
               const test::margin_training& training) {
    problem rows(random, lengths, training);
    const std::vector<double> expected = rows.trained(slope);
    device::train_margin_rows(rows.work(), margin_loss(model), 0, 1);
    return test::relative_error(rows.weights, expected);
  }
};
TYPED_TEST_SUITE(host_margin_rows, test::all_row_types);

// The largest errors are those of a row of one entry, whose margin is rounded: 0.3 * 6 * 6e-8 x^2 |w| of squared_hinge
// at a norm of 17 of the weights. 1e-6 takes x^2 |w| > 157, of normal numbers with a probability of exp(-27); 480 steps
// are tried.
TYPED_TEST(host_margin_rows, one_step_is_that_of_double_precision) {
  for (const test::margin_training& training : trainings) {
    for (const std::size_t length : std::initializer_list<std::size_t>{0, 1, 2, 17, 31, 32, 33, 63, 64, 65, 96, 300}) {
      EXPECT_LE(this->error(logistic{}, logistic_slope, std::array{length}, training), 1e-6) << length;
      EXPECT_LE(this->error(
                    squared_hinge{}, [](double m, double y) { return -2 * y * std::max(1 - m * y, 0.0); },
                    std::array{length}, training),
                1e-6)
          << length;
    }
  }
}

// A row adds an error of 1.4e-8 in the mean square and 2e-7 at most, as the steps above do, and these losses pass on no
// more than they are given. 200 errors of either sign add up to 1e-5 with a probability below
// 2 exp(-5e-11 / (200 * 2e-16 + 2e-7 * 1e-5 / 3)) < 1e-30 (Bernstein).
TYPED_TEST(host_margin_rows, an_epoch_is_that_of_double_precision) {
  for (const test::margin_training& training : trainings) {
    const auto lengths = test::row_lengths(this->random, 200);
    EXPECT_LE(this->error(logistic{}, logistic_slope, lengths, training), 1e-5);
    if (training.adagrad) continue;  // whose first steps depend on the sign of the slope alone
    EXPECT_LE(this->error(
                  least_squares{}, [](double m, double y) { return m - y; }, lengths, training),
              1e-5);
    EXPECT_LE(this->error(
                  huber{0.7f}, [](double m, double y) { return std::clamp(m - y, -double(0.7f), double(0.7f)); },
                  lengths, training),
              1e-5);
  }
}

TYPED_TEST(host_margin_rows, parts_train_their_own_rows) {
  for (const test::margin_training& training : trainings) {
    const auto lengths = test::row_lengths(this->random, 50);
    typename TestFixture::problem rows(this->random, lengths, training);
    constexpr std::size_t parts = 7, first = 3, last = 45;
    std::vector<std::size_t> order;
    for (std::size_t part = 0; part < parts; ++part) {
      for (std::size_t r = first + part; r < last; r += parts) order.push_back(r);
    }
    const std::vector<double> expected = rows.trained(order, logistic_slope);
    device::margin_work work = rows.work();
    std::uint64_t updates = 5;
    work.updates = &updates;
    work.scale *= std::pow(work.shrink, first);
    work.first = first;
    work.count = last - first;
    for (std::size_t part = 0; part < parts; ++part) {
      device::train_margin_rows(work, margin_loss(logistic{}), part, parts);
    }
    EXPECT_LE(test::relative_error(rows.weights, expected), 1e-5);
    EXPECT_EQ(updates, 5 + last - first);
  }
}

/// Rows that all have every column, with the value 1.
struct full_rows {
  static constexpr std::size_t columns = 8;
  std::vector<std::uint32_t> start, index;
  std::vector<float> value, label, weights = std::vector<float>(columns + 1);

  full_rows(std::size_t rows, float y) : start{0}, label(rows, y) {
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::uint32_t j = 0; j < columns; ++j) index.push_back(j);
      start.push_back(static_cast<std::uint32_t>(index.size()));
    }
    value.assign(index.size(), 1.0f);
  }
  device::margin_work work() {
    return {.start32 = start.data(),
            .index32 = index.data(),
            .value = value.data(),
            .label = label.data(),
            .count = label.size(),
            .weights = weights.data(),
            .columns = columns,
            .bias = true,
            .step = 1.0f};
  }
};

// The median's slope is -1/2 while margins are below the label: each row adds 1/2, which floats hold without rounding.
TEST(host_margin_rows, exact_keeps_every_add) {
  constexpr std::size_t rows = 10'000, threads = 4, passes = 40;
  full_rows data(rows, 1e9f);
  device::margin_work work = data.work();
  work.update = update_kind::exact;
  std::uint64_t updates = 0;
  work.updates = &updates;
  const quantile median;
  const margin_loss loss(median);
  test::run_together(threads, [&](std::size_t part) {
    for (std::size_t pass = 0; pass < passes; ++pass) device::train_margin_rows(work, loss, part, threads);
  });
  EXPECT_EQ(data.weights, std::vector<float>(full_rows::columns + 1, passes * rows / 2.0f));
  EXPECT_EQ(updates, passes * rows);
}

TEST(host_margin_rows, lossy_threads_keep_some_adds_and_invent_none) {
  constexpr std::size_t rows = 20'000, threads = 4;
  full_rows data(rows, 1e9f);
  const quantile median;
  const margin_loss loss(median);
  test::run_together(threads, [&](std::size_t part) { device::train_margin_rows(data.work(), loss, part, threads); });
  for (const float w : data.weights) {
    EXPECT_GT(w, 0.0f);
    EXPECT_LE(w, rows / 2.0f);
    EXPECT_EQ(w, std::floor(2 * w) / 2);
  }
}

TEST(host_margin_rows, rows_without_a_slope_change_nothing_and_are_not_counted) {
  full_rows data(10, 0.0f);
  const std::vector<float> before = data.weights;
  device::margin_work work = data.work();
  std::uint64_t updates = 0;
  work.updates = &updates;
  device::train_margin_rows(work, margin_loss(least_squares{}), 0, 1);
  EXPECT_EQ(data.weights, before);
  EXPECT_EQ(updates, 0u);
}

TEST(host_margin_rows, adagrad_begins_with_steps_of_one_length) {
  full_rows data(1, 3.0f);
  std::vector<float> sums(full_rows::columns + 1);
  device::margin_work work = data.work();
  work.sums = sums.data();
  work.step = 0.5f;
  device::train_margin_rows(work, margin_loss(least_squares{}), 0, 1);
  EXPECT_EQ(data.weights, std::vector<float>(full_rows::columns + 1, 0.5f));
  EXPECT_EQ(sums, std::vector<float>(full_rows::columns + 1, 9.0f));
}

TEST(host_margin_rows, adagrad_begins_with_shorter_steps_where_slopes_are_tiny) {
  full_rows data(1, 1e-4f);  // whose square is the constant under the root
  std::vector<float> sums(full_rows::columns + 1);
  device::margin_work work = data.work();
  work.sums = sums.data();
  device::train_margin_rows(work, margin_loss(least_squares{}), 0, 1);
  for (const float w : data.weights) EXPECT_NEAR(w, std::sqrt(0.5f), 1e-6f);
}

TEST(host_margin_rows, locked_updates_are_refused) {
  full_rows data(1, 1.0f);
  device::margin_work work = data.work();
  work.update = update_kind::locked;
  EXPECT_THROW(device::train_margin_rows(work, margin_loss(least_squares{}), 0, 1), std::invalid_argument);
}

}  // namespace
