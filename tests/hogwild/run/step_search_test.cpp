// SPDX-License-Identifier: Apache-2.0
// The step found by passes side by side, against a search by runs of one epoch.
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/hogwild.hpp>
#include <hogwild/models/hinge_svm.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/poisson.hpp>
#include <hogwild/models/softmax.hpp>

#include "support/toy_data.hpp"

namespace hogwild {
namespace {

struct found_step : testing::Test {
  // Fewer rows than the search looks at.
  test::toy_rows toy = test::planted_classification({.rows = 800, .columns = 300, .per_row = 12});
  csr_rows rows = toy.csr();

  template <class M>
  double objective(const M& m, train_options o, double step) const {
    o.epochs = 1;
    o.step = {.initial = step, .kind = schedule_kind::constant};
    const train_result run = train(m, rows, serial_engine{}, o);
    return run.status == run_status::diverged ? HUGE_VAL : run.objective;
  }

  /// Upwards from 1 / mean ||x||^2 by powers of two for as long as it gets better; else downwards, at least to where
  /// the objective is below its beginning.
  template <class M>
  double by_single_runs(const M& m, const train_options& o) const {
    double squares = 0.0;
    for (const float x : toy.value) squares += static_cast<double>(x) * static_cast<double>(x);
    double best = static_cast<double>(toy.rows()) / squares;
    double lowest = objective(m, o, best);
    const double start = objective(m, o, 1e-30 * best);
    for (const double factor : {2.0, 0.5}) {
      const double from = best;
      if (factor > 1.0 && lowest > start) continue;
      for (double tried = objective(m, o, best * factor); tried < lowest || (factor < 1.0 && lowest > start);
           tried = objective(m, o, best * factor))
        lowest = tried, best *= factor;
      if (best != from) break;
    }
    return best;
  }

  template <class M>
  void expect_alike(const M& m, train_options o) const {
    o.batch = 1;  // a given step may be too large for more
    const double expected = by_single_runs(m, o);
    o.epochs = 1;
    const train_result run = train(m, rows, serial_engine{}, o);
    EXPECT_TRUE(run.step_found);
    // Sums may have another order; other powers of two are far away.
    EXPECT_NEAR(run.step, expected, 1e-9 * expected);
  }
};

TEST_F(found_step, is_the_one_that_single_runs_find) {
  for (const double l2 : {0.0, 1e-4, 1e-2}) {
    expect_alike(logistic{}, {.l2 = l2, .bias = true});
    expect_alike(hinge_svm{}, {.l2 = l2});
    expect_alike(logistic{}, {.l2 = l2, .l1 = 1e-3, .bias = true});
  }
}

TEST_F(found_step, of_several_classes_is_the_one_that_single_runs_find) {
  toy = test::planted_classes({.rows = 800, .columns = 300, .per_row = 12}, 6);
  rows = toy.csr();
  const softmax classes{.features = 300, .classes = 6, .bias = true};
  for (const double l2 : {0.0, 1e-4, 1e-2}) expect_alike(classes, {.l2 = l2});
  expect_alike(classes, {.l2 = 1e-4, .l1 = 1e-3});  // which has no lanes
}

TEST_F(found_step, goes_far_up_and_far_down) {
  const std::vector<float> values = toy.value;
  for (const float scale : {1e-4f, 30.0f}) {
    for (std::size_t i = 0; i < values.size(); ++i) toy.value[i] = scale * values[i];
    rows = toy.csr();
    expect_alike(logistic{}, {.l2 = 0.0});
  }
}

TEST_F(found_step, begins_with_a_warm_start) {
  const auto initial = [](std::span<float> w) {
    for (std::size_t j = 0; j < w.size(); ++j) w[j] = j % 2 == 0 ? 8.0f : -8.0f;
  };
  const train_options cold{.epochs = 1, .l2 = 1e-4, .batch = 1},
      warm{.epochs = 1, .l2 = 1e-4, .batch = 1, .initial = initial};
  expect_alike(logistic{}, warm);
  EXPECT_NE(train(logistic{}, rows, serial_engine{}, warm).step, train(logistic{}, rows, serial_engine{}, cold).step)
      << "the start makes no difference here";
}

TEST_F(found_step, of_a_loss_without_bounded_curvature_is_found_one_by_one) {
  for (float& y : toy.label) y = y > 0.0f ? 3.0f : 0.0f;
  rows = toy.csr();
  expect_alike(poisson{}, {.l2 = 1e-4});
}

// Each pass then ends above its beginning, by less the smaller its step, and by chance: the next one may end higher.
TEST_F(found_step, of_labels_without_a_pattern_leaves_the_objective_where_it_began) {
  toy = {};
  toy.columns = 10;
  for (std::uint32_t r = 0; r < 5'000; ++r)
    toy.push({r % 7, 8, 9}, {1.0f, 1.0f, static_cast<float>(r % 5)}, r % 2 == 0 ? 1.0f : -1.0f);
  const csr_rows alike = toy.csr();
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u}) {
    const train_result run = train(logistic{}, alike, serial_engine{}, {.epochs = 1, .seed = seed});
    EXPECT_EQ(run.status, run_status::done) << run.objective;
    EXPECT_LT(run.objective, 1.02 * std::log(2.0)) << "seed " << seed << ", step " << run.step;
  }
}

}  // namespace
}  // namespace hogwild
