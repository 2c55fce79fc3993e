// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/loop/general_step.hpp>
#include <hogwild/detail/sharing/direct.hpp>
#include <hogwild/general_model.hpp>

#include "kernel_family.hpp"
#include "margin_problem.hpp"

// A family of kernels applies a task's groups, steps and l2 like the steps of CPU workers.

namespace hogwild::test {

using family_sharing = direct_sharing<float, update::lossy>;

struct family_case {
  optimizer_kind optimizer = optimizer_kind::sgd;
  double l2 = 0;
  l2_form form = l2_form::by_degree;
  std::uint32_t frozen = 0;
};

inline const family_case family_cases[] = {{},
                                           {.l2 = 1e-3},
                                           {.l2 = 1e-3, .form = l2_form::per_occurrence},
                                           {.l2 = 1e-3, .frozen = 1},
                                           {.frozen = 2},
                                           {.optimizer = optimizer_kind::adagrad},
                                           {.optimizer = optimizer_kind::adagrad, .l2 = 1e-3}};

/// Trains all rows by the step of CPU workers.
template <class Optimizer, class M>
std::uint64_t train_by_cpu(const M& m, const training_task& task, const family_sharing& sharing, const loop_options& o,
                           const round_plan& round) {
  const step_context context{task.labels(), task.data().degree, task.data().rows(), o, task.data().rows()};
  general_step<M, family_sharing, Optimizer> step(sharing, m, context);
  step.begin(round, 0.0);
  row_cursor cursor(task.data());
  std::uint64_t changed = 0;
  for (std::size_t r = 0; r < task.data().rows(); ++r)
    changed += step.train(step.reader(), step.example(cursor, r), [](std::size_t, float) {});
  return changed;
}

/// 100 rows of 300 columns, with labels by draw(random): device and CPU end within this relative distance of each
/// other.
template <class M, class Draw>
void expect_family_agrees(std::mt19937_64& random, const M& model, const device::kernel_family& family,
                          const family_case& c, const Draw& draw, double within = 1e-5) {
  std::normal_distribution<float> normal;
  constexpr std::size_t columns = 300;
  std::vector<std::uint64_t> start{0};
  std::vector<std::uint32_t> index, degree(columns);
  std::vector<float> value, label;
  for (const std::size_t length : row_lengths(random, 100)) {
    std::vector<std::uint32_t> order(columns);
    std::iota(order.begin(), order.end(), 0u);
    std::shuffle(order.begin(), order.end(), random);
    for (std::size_t k = 0; k < length; ++k) {
      index.push_back(order[k]);
      ++degree[order[k]];
      value.push_back(normal(random) / std::sqrt(static_cast<float>(length)));
    }
    start.push_back(index.size());
    label.push_back(draw(random));
  }
  const csr_rows rows(start, index, value, label, columns);
  sparse_view view = rows.view();
  view.degree = degree;

  loop_options options;
  options.optimizer = c.optimizer;
  options.l2 = c.l2;
  options.form = c.form;
  options.frozen_groups = c.frozen;
  options.rows_in_flight = 1;
  const auto task = make_task(model, view, label_map(), options);
  ASSERT_TRUE(family.trains(*task));
  const round_plan round{.step = 0.1};

  param_store store = param_store::in_memory({.parameters = model.dim(), .state_arrays = 1});
  std::ranges::generate(store.parameters<float>(), [&] { return random() % 8 == 0 ? 0.0f : normal(random); });
  std::ranges::generate(store.state<float>(0), [&] { return 0.1f + std::abs(normal(random)); });

  const auto emulated = device::open_emulated(1);
  device::device_arrays arrays(*emulated, model.dim(), 1);
  std::ranges::copy(store.parameters<float>(), arrays.values[0].data());
  std::ranges::copy(store.state<float>(0), arrays.values[1].data());
  *arrays.updates.data() = 0;
  const auto on_device = family.bring(*emulated, *task, arrays, options);
  on_device->begin(round, 0.0);
  on_device->train(0, 60).on_host(0, 1);
  on_device->train(60, 40).on_host(0, 1);

  const family_sharing sharing(store, 0);
  using view_type = family_sharing::view_type;
  const std::uint64_t changed = c.optimizer == optimizer_kind::sgd
                                    ? train_by_cpu<sgd<view_type>>(model, *task, sharing, options, round)
                                    : train_by_cpu<block_optimizer<view_type>>(model, *task, sharing, options, round);
  const auto error = [&](const float* found, std::span<const float> expected) {
    return relative_error({found, model.dim()}, std::vector<double>(expected.begin(), expected.end()));
  };
  EXPECT_LE(error(arrays.values[0].data(), store.parameters<float>()), within);
  EXPECT_LE(error(arrays.values[1].data(), store.state<float>(0)), within);
  EXPECT_EQ(*arrays.updates.data(), changed);
  EXPECT_GT(changed, 0u);
}

}  // namespace hogwild::test
