// SPDX-License-Identifier: Apache-2.0
// A device trains a row like the steps of CPU workers.
#include <hogwild/detail/loop/bias_step.hpp>

#include <algorithm>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/cuda/margin_rows.hpp>
#include <hogwild/detail/loop/step.hpp>
#include <hogwild/detail/sharing/direct.hpp>
#include <hogwild/model.hpp>
#include <hogwild/models.hpp>
#include <hogwild/models/logistic.hpp>

#include "kernels/margin_models.hpp"
#include "margin_problem.hpp"
#include "support/fresh_seed.hpp"

using namespace hogwild;

namespace {

using step_sharing = direct_sharing<float, update::lossy>;

/// Trains the rows of the work by `step`, which begins at the position of the first one.
template <class Step>
std::uint64_t train_by_step(Step& step, const device::margin_work& work, const round_plan& round) {
  step.begin(round, 0.0);
  std::uint64_t changed = 0;
  for (std::size_t r = 0; r < work.count; ++r) {
    const std::size_t begin = work.start32 != nullptr ? work.start32[r] : work.start64[r];
    const std::size_t end = work.start32 != nullptr ? work.start32[r + 1] : work.start64[r + 1];
    sparse_row<float> z{{work.index32 + begin, end - begin}, {work.value + begin, end - begin}, work.label[r]};
    if (work.weight != nullptr) z.weight = work.weight[r], z.offset = work.offset[r];
    changed += step.train(step.reader(), z, [](std::size_t, float) {});
  }
  return changed;
}

struct device_and_step : test::fresh_seed<testing::TestWithParam<test::margin_training>> {};

TEST_P(device_and_step, agree) {
  const test::margin_training& training = GetParam();
  test::margin_problem<std::uint32_t, float> rows(random, test::row_lengths(random, 100), training);
  device::margin_work work = rows.work();
  std::uint64_t updates = 0;
  work.updates = &updates;

  const std::size_t parameters = work.columns + 1;
  param_store store = param_store::in_memory({.parameters = parameters, .state_arrays = 1});
  std::ranges::copy(rows.weights, store.parameters<float>().begin());
  std::ranges::copy(rows.sums, store.state<float>(0).begin());
  const step_sharing sharing(store, 0);
  loop_options options;
  options.bias = training.bias;
  options.bias_rate = 0.01f;
  options.optimizer = training.adagrad ? optimizer_kind::adagrad : optimizer_kind::sgd;
  work.bias_rate = bias_step_factor(options);
  work.unit = adagrad_unit(options);
  options.l2 = training.adagrad ? training.l2_rows / 100 : 1e-3;
  const label_map labels;
  const step_context context{labels, std::span(work.degree, work.columns), 100, options};
  const round_plan round{.step = training.step, .l2 = {.scale = training.scale, .shrink = training.shrink}};
  const logistic model;
  std::uint64_t changed = 0;
  if (training.adagrad) {
    margin_adagrad_step<step_sharing> step(sharing, margin_loss(model), context);
    changed = train_by_step(step, work, round);
  } else {
    margin_sgd_step<step_sharing> step(sharing, margin_loss(model), context);
    changed = train_by_step(step, work, round);
  }

  device::train_margin_rows(work, margin_loss(model), 0, 1);
  const std::span<const float> w = store.parameters<float>(), sums = store.state<float>(0);
  EXPECT_LE(test::relative_error(rows.weights, std::vector<double>(w.begin(), w.end())), 1e-5);
  EXPECT_LE(test::relative_error(rows.sums, std::vector<double>(sums.begin(), sums.end())), 1e-5);
  EXPECT_EQ(updates, changed);
}
INSTANTIATE_TEST_SUITE_P(trainings, device_and_step,
                         testing::Values(test::margin_training{.bias = true},
                                         test::margin_training{.scale = 0.25, .shrink = 0.999, .weighed = true},
                                         test::margin_training{.step = 0.1, .adagrad = true},
                                         test::margin_training{
                                             .step = 0.1, .l2_rows = 2, .adagrad = true, .bias = true}));

template <class M>
void expect_kernels() {
  if constexpr (margin_model<M>) {
    const M model{};
    const auto bytes = std::as_bytes(std::span(&model, 1));
    const auto found = device::known_margin_model::find(M::name, bytes);
    ASSERT_TRUE(found.has_value()) << M::name;
    for (float margin = -4.0f; margin <= 4.0f; margin += 0.125f) {
      for (const float label : {-1.0f, 0.5f, 1.0f}) {
        EXPECT_EQ(found->derivative(margin, label), model.derivative(margin, label)) << M::name;
      }
    }
    EXPECT_FALSE(device::known_margin_model::find(M::name, bytes.first(0)).has_value());
  }
}

TEST(margin_models, all_of_the_project_are_known_by_name) {
  with_named_models([]<class... M>() { (expect_kernels<M>(), ...); });
  EXPECT_FALSE(device::known_margin_model::find("softmax", {}).has_value());
}

TEST(margin_models, hyperparameters_come_with_the_bytes) {
  const huber model{0.25f};
  const auto found = device::known_margin_model::find("huber", std::as_bytes(std::span(&model, 1)));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->derivative(9.0f, 1.0f), 0.25f);
}

}  // namespace
