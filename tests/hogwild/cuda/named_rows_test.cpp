// SPDX-License-Identifier: Apache-2.0
// The host form of the kernels of a program's models: against double precision, and against the steps of CPU workers.
#include "named_models.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/loop/general_step.hpp>
#include <hogwild/detail/sharing/direct.hpp>
#include <hogwild/general_model.hpp>

#include "kernel_family.hpp"
#include "margin_problem.hpp"

using namespace hogwild;

namespace {

/// Bernstein's bounds of margin_rows_test hold here as well: the same operations in the same order.
template <class Row>
struct named_rows : testing::Test {
  using problem = test::margin_problem<typename Row::index, typename Row::value>;
  std::uint64_t seed = std::random_device{}();
  std::mt19937_64 random{seed};
  testing::ScopedTrace trace{__FILE__, __LINE__, "seed " + std::to_string(seed)};

  double error(std::span<const std::size_t> lengths, const test::margin_training& training) {
    problem rows(random, lengths, training);
    const std::vector<double> expected = rows.trained([](double m, double y) { return -y / (1 + std::exp(m * y)); });
    const test::device_logistic model{.features = problem::columns};
    std::uint64_t updates = 0;
    device::general_work work = test::with_bias_group(rows.work());
    work.updates = &updates;
    test::kernels_by_name<test::device_logistic>().train(work, test::bytes_of(model), 0, 1);
    EXPECT_EQ(updates, lengths.size());
    return test::relative_error(rows.weights, expected);
  }
};
using named_row_types = testing::Types<test::row_kind<std::uint32_t, float>, test::row_kind<std::uint16_t, float>,
                                       test::row_kind<std::uint32_t, half>, test::row_kind<std::uint16_t, half>>;
TYPED_TEST_SUITE(named_rows, named_row_types);

TYPED_TEST(named_rows, one_step_is_that_of_double_precision) {
  for (const bool adagrad : {false, true}) {
    for (const std::size_t length : std::initializer_list<std::size_t>{0, 1, 2, 17, 31, 32, 33, 63, 64, 65, 96, 300})
      EXPECT_LE(this->error(std::array{length}, {.step = 0.1, .adagrad = adagrad, .bias = true}), 1e-6) << length;
  }
}

TYPED_TEST(named_rows, an_epoch_is_that_of_double_precision) {
  for (const bool adagrad : {false, true}) {
    const auto lengths = test::row_lengths(this->random, 200);
    EXPECT_LE(this->error(lengths, {.step = 0.1, .adagrad = adagrad, .bias = true}), 1e-5);
  }
}

struct step_case {
  optimizer_kind optimizer = optimizer_kind::sgd;
  double l2 = 0;
  l2_form form = l2_form::by_degree;
  std::uint32_t frozen = 0;
};
struct named_and_step : testing::TestWithParam<step_case> {};

/// Trains all rows by the step of CPU workers.
template <class Optimizer, class M>
std::uint64_t train_by_cpu(const M& m, const training_task& task, const direct_sharing<float, update::lossy>& sharing,
                           const loop_options& o, const round_plan& round) {
  const step_context context{task.labels(), task.data().degree, task.data().rows(), o, task.data().rows()};
  general_step<M, direct_sharing<float, update::lossy>, Optimizer> step(sharing, m, context);
  step.begin(round, 0.0);
  row_cursor cursor(task.data());
  std::uint64_t changed = 0;
  for (std::size_t r = 0; r < task.data().rows(); ++r)
    changed += step.train(step.reader(), step.example(cursor, r), [](std::size_t, float) {});
  return changed;
}

// What the family makes of the task's groups, steps and l2 is what CPU workers do.
TEST_P(named_and_step, agree) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  const step_case& c = GetParam();
  std::normal_distribution<float> normal;
  constexpr std::size_t columns = 300;
  std::vector<std::uint64_t> start{0};
  std::vector<std::uint32_t> index, degree(columns);
  std::vector<float> value, label;
  for (const std::size_t length : test::row_lengths(random, 100)) {
    std::vector<std::uint32_t> order(columns);
    std::iota(order.begin(), order.end(), 0u);
    std::shuffle(order.begin(), order.end(), random);
    for (std::size_t k = 0; k < length; ++k) {
      index.push_back(order[k]);
      ++degree[order[k]];
      value.push_back(normal(random) / std::sqrt(static_cast<float>(length)));
    }
    start.push_back(index.size());
    label.push_back(random() % 2 != 0 ? 1.0f : -1.0f);
  }
  const csr_rows rows(start, index, value, label, columns);
  sparse_view view = rows.view();
  view.degree = degree;

  const test::device_logistic model{.features = columns, .bias_factor = 0.25};
  loop_options options;
  options.optimizer = c.optimizer;
  options.l2 = c.l2;
  options.form = c.form;
  options.frozen_groups = c.frozen;
  options.rows_in_flight = 1;
  const auto task = make_task(model, view, label_map(), options);
  const round_plan round{.step = 0.1};

  param_store store = param_store::in_memory({.parameters = columns + 1, .state_arrays = 1});
  std::ranges::generate(store.parameters<float>(), [&] { return random() % 8 == 0 ? 0.0f : normal(random); });
  std::ranges::generate(store.state<float>(0), [&] { return std::abs(normal(random)); });

  const auto emulated = device::open_emulated(1);
  device::device_arrays arrays(*emulated, columns + 1, 1);
  std::ranges::copy(store.parameters<float>(), arrays.values[0].data());
  std::ranges::copy(store.state<float>(0), arrays.values[1].data());
  *arrays.updates.data() = 0;
  const auto on_device = device::named_kernel_family().bring(*emulated, *task, arrays, options);
  on_device->begin(round, 0.0);
  on_device->train(0, 60).on_host(0, 1);
  on_device->train(60, 40).on_host(0, 1);

  const direct_sharing<float, update::lossy> sharing(store, 0);
  using view_type = direct_sharing<float, update::lossy>::view_type;
  const std::uint64_t changed = c.optimizer == optimizer_kind::sgd
                                    ? train_by_cpu<sgd<view_type>>(model, *task, sharing, options, round)
                                    : train_by_cpu<block_optimizer<view_type>>(model, *task, sharing, options, round);
  const auto error = [&](const float* found, std::span<const float> expected) {
    return test::relative_error({found, columns + 1}, std::vector<double>(expected.begin(), expected.end()));
  };
  EXPECT_LE(error(arrays.values[0].data(), store.parameters<float>()), 1e-5);
  EXPECT_LE(error(arrays.values[1].data(), store.state<float>(0)), 1e-5);
  EXPECT_EQ(*arrays.updates.data(), changed);
  EXPECT_GT(changed, 0u);
}
INSTANTIATE_TEST_SUITE_P(options, named_and_step,
                         testing::Values(step_case{}, step_case{.l2 = 1e-3},
                                         step_case{.l2 = 1e-3, .form = l2_form::per_occurrence},
                                         step_case{.l2 = 1e-3, .frozen = 1}, step_case{.frozen = 2},
                                         step_case{.optimizer = optimizer_kind::adagrad},
                                         step_case{.optimizer = optimizer_kind::adagrad, .l2 = 1e-3}));

}  // namespace
