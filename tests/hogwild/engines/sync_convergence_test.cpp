// SPDX-License-Identifier: Apache-2.0
// Every model, trained by ranks that meet, ends near where one worker ends.
#include <hogwild/engines.hpp>
#include <hogwild/models/hinge_svm.hpp>
#include <hogwild/models/huber.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/softmax.hpp>

#include <array>
#include <span>

#include <gtest/gtest.h>

#include <hogwild/general_model.hpp>
#include <hogwild/hogwild.hpp>

#include "support/sanitizers.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;

namespace {

/// Two targets from one row, in double precision: emits blocks, one for each column. Every program's own model type
/// takes the same path.
struct twin_squares {
  using scalar_type = double;
  using example_type = sparse_row<float>;
  static constexpr bool linear = true;
  std::size_t features;

  std::size_t dim() const { return 2 * features; }
  std::array<parameter_group, 1> groups() const { return {{{.rows = features, .width = 2}}}; }
  template <class Reader>
  std::array<double, 2> errors(const Reader& w, const example_type& z) const {
    std::array<double, 2> e{-static_cast<double>(z.label), static_cast<double>(z.label)};
    for (const auto [j, x] : z) {
      const auto pair = w.block(2 * j, 2);
      for (std::size_t i = 0; i < 2; ++i) e[i] += pair[i] * static_cast<double>(x);
    }
    return e;
  }
  template <class Reader>
  double loss(const Reader& w, const example_type& z) const {
    const auto e = errors(w, z);
    return 0.5 * (e[0] * e[0] + e[1] * e[1]);
  }
  template <class Reader, class Emit>
  void gradient(const Reader& w, const example_type& z, const Emit& emit) const {
    const auto e = errors(w, z);
    for (const auto [j, x] : z) {
      const std::array<double, 2> g{e[0] * static_cast<double>(x), e[1] * static_cast<double>(x)};
      if (g[0] != 0.0 && g[1] != 0.0) emit.block(2 * j, std::span<const double>(g));
    }
  }
};
static_assert(conforms<twin_squares>());

constexpr double band = 0.02;

/// The step suits rows one by one; the mean of a batch takes a multiple of it.
template <class M>
void expect_near_serial(const M& m, const test::toy_rows& toy, const train_options& serial_options, double multiple) {
  const double serial = train(m, toy.csr(), serial_engine{}, serial_options).objective;
  train_options gathered = serial_options;
  *gathered.step.initial *= multiple;
  for (const std::size_t workers : {1u, 2u, 3u}) {
    if (test::thread_sanitized && workers == 1) continue;
    const sync_engine sum{.workers = workers, .rows = 4, .pin = false};
    EXPECT_LE(train(m, toy.csr(), sum, gathered).objective, (1.0 + band) * serial) << workers << " ranks, gradients";
    const sync_engine mean{.workers = workers, .rule = sync_rule::average, .rows = 32, .pin = false};
    EXPECT_LE(train(m, toy.csr(), mean, serial_options).objective, (1.0 + band) * serial) << workers << " ranks, mean";
  }
}

constexpr test::toy_shape shape{.rows = 1'500, .columns = 40};
const train_options falling{.epochs = 12, .step = {.initial = 0.2, .decay = 0.8}, .l2 = 0.003};

TEST(sync_convergence, logistic) {
  train_options options = falling;
  options.bias = true;
  options.weight_positive = 2.0;
  expect_near_serial(logistic{}, test::planted_classification(shape), options, 8.0);
}
TEST(sync_convergence, hinge_svm) {
  expect_near_serial(hinge_svm{}, test::planted_classification(shape), falling, 8.0);
}
TEST(sync_convergence, least_squares) {
  expect_near_serial(least_squares{}, test::planted_regression(shape, 0.5), falling, 4.0);
}
TEST(sync_convergence, huber) {
  expect_near_serial(huber{.delta = 0.5f}, test::planted_regression(shape, 0.5), falling, 8.0);
}
TEST(sync_convergence, softmax) {
  expect_near_serial(softmax{.features = 40, .classes = 4, .bias = true}, test::planted_classes(shape, 4), falling,
                     8.0);
}
TEST(sync_convergence, a_model_in_double_precision_that_emits_blocks) {
  expect_near_serial(twin_squares{.features = 40}, test::planted_regression(shape, 0.5), falling, 4.0);
}

// The last meeting of an epoch has 2 of 258 rows, which are the same ones again and again: if they made a whole step by
// their mean, the run would end 1 % above the optimum.
TEST(sync_convergence, rows_that_are_left_over_count_as_much_as_others) {
  const auto toy = test::planted_classification({.rows = 258, .columns = 13, .per_row = 11});
  const train_options options{.epochs = 1500, .step = {.initial = 0.5, .decay = 0.996}, .l2 = 0.004};
  const auto objective = [&](std::size_t rows) {
    return train(logistic{}, toy.csr(), sync_engine{.workers = 1, .rows = rows, .pin = false}, options).objective;
  };
  EXPECT_NEAR(objective(64), objective(43), 1e-4 * objective(43));
}

TEST(sync_convergence, means_of_what_adagrad_sums_up) {
  train_options options = falling;
  options.optimizer = optimizer_kind::adagrad;
  options.step = {.initial = 0.5, .kind = schedule_kind::constant};
  const auto toy = test::planted_classification(shape);
  const double serial = train(logistic{}, toy.csr(), serial_engine{}, options).objective;
  for (const std::size_t workers : {2u, 3u}) {
    const sync_engine mean{.workers = workers, .rule = sync_rule::average, .rows = 32, .pin = false};
    EXPECT_LE(train(logistic{}, toy.csr(), mean, options).objective, (1.0 + band) * serial);
  }
}

// The step is found for single rows and adapted to the batch; otherwise the objective would stay 6 to 11 % above.
TEST(sync_convergence, a_step_that_nobody_names_suits_the_batch) {
  const auto toy = test::planted_classification({.rows = 6'000, .columns = 400, .per_row = 10});
  const train_options options{.epochs = 10, .l2 = 0.001};
  const double serial = train(logistic{}, toy.csr(), serial_engine{}, options).objective;
  for (const std::size_t workers : {1u, 2u, 4u}) {
    const auto run = train(logistic{}, toy.csr(), sync_engine{.workers = workers, .rows = 16, .pin = false}, options);
    EXPECT_LE(run.objective, (1.0 + band) * serial) << workers << " ranks with step " << run.step;
  }
}

}  // namespace
