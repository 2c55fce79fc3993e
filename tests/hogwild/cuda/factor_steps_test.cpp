// SPDX-License-Identifier: Apache-2.0
// A device changes a rating's factors, as the engine asks it to, like the step of CPU workers.
#include <hogwild/detail/loop/factor_step.hpp>

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/run/column_counts.hpp>
#include <hogwild/detail/sharing/private.hpp>
#include <hogwild/train.hpp>

#include "kernel_family.hpp"
#include "margin_problem.hpp"  // relative_error
#include "support/fresh_seed.hpp"
#include "support/toy_ratings.hpp"

using namespace hogwild;

namespace {

struct arrays_of_a_store final : private_arrays<float> {
  explicit arrays_of_a_store(const param_store& store) : private_arrays<float>(nullptr) {
    values_ = {store.parameters<float>(), store.state<float>(0)};
  }
  void begin_round(const round_plan&) override {}
};

struct factor_setting {
  std::size_t factors;
  bool bias;
  l2_form form;
  optimizer_kind optimizer = optimizer_kind::sgd;
};
void PrintTo(const factor_setting& s, std::ostream* out) {
  *out << s.factors << " factors" << (s.bias ? " with biases, " : ", ")
       << (s.form == l2_form::by_degree ? "by degree" : "per occurrence")
       << (s.optimizer == optimizer_kind::sgd ? "" : ", row_adagrad");
}

struct device_and_factor_step : test::fresh_seed<testing::TestWithParam<factor_setting>> {};

TEST_P(device_and_factor_step, agree) {
  const factor_setting& with = GetParam();
  const test::toy_ratings_shape shape{.users = 30, .items = 20, .ratings = 400, .seed = seed};
  const test::kept_rows data = test::planted_ratings(shape);
  sparse_view view = data.view();
  const std::vector<std::uint32_t> degree = count_columns(view);
  view.degree = degree;
  const matrix_factorization m = test::factors_of(shape, with.factors, with.bias);
  const label_map labels;
  const loop_options options{.optimizer = with.optimizer,
                             .l2 = with.form == l2_form::by_degree ? 1e-3 : 0.04,
                             .form = with.form,
                             .rows_in_flight = 9};
  const round_plan round{.step = 0.05, .step_end = 0.02};
  std::vector<float> before(m.dim()), sums_before(m.dim());
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> small(-0.2f, 0.2f), positive(0.1f, 1.0f);
  for (float& x : before) x = small(random);
  for (float& x : sums_before) x = positive(random);

  const param_store store = param_store::in_memory({.parameters = m.dim(), .state_arrays = 1});
  std::ranges::copy(before, store.parameters<float>().begin());
  std::ranges::copy(sums_before, store.state<float>(0).begin());
  arrays_of_a_store arrays(store);
  const rating_list list = ratings_of(view, m.users, m.items);
  const step_context context{labels, degree, shape.ratings, options, shape.ratings};
  factor_step<matrix_factorization, private_sharing<float>> step(private_sharing<float>(arrays), m, context, list);

  const auto task = make_task(m, view, labels, options);
  const auto device = device::open_emulated(1);
  device::device_arrays own(*device, m.dim(), 1);
  device->upload(own.values[0].data(), before.data(), m.dim() * sizeof(float));
  device->upload(own.values[1].data(), sums_before.data(), m.dim() * sizeof(float));
  device->zero(own.updates.data(), sizeof(std::uint64_t));
  const auto model = device::kernels_of(*task).bring(*device, *task, own, options);

  step.begin_round(round);
  for (const auto& [first, last] : {std::pair<std::size_t, std::size_t>{0, 150}, {150, 400}}) {
    step.begin(round, static_cast<double>(first));
    step.train_run(first, last - first);
    model->begin(round, static_cast<double>(first));
    device->run(model->train(first, last - first));
    EXPECT_EQ(model->nonzeros(first, last - first), 2 * (last - first));
  }
  std::vector<float> found(m.dim()), sums(m.dim());
  std::uint64_t updates = 0;
  device->download(found.data(), own.values[0].data(), m.dim() * sizeof(float));
  device->download(sums.data(), own.values[1].data(), m.dim() * sizeof(float));
  device->download(&updates, own.updates.data(), sizeof updates);
  device->wait(device->mark());

  const auto w = store.parameters<float>(), s = store.state<float>(0);
  EXPECT_LE(test::relative_error(found, std::vector<double>(w.begin(), w.end())), 1e-5);
  EXPECT_LE(test::relative_error(sums, std::vector<double>(s.begin(), s.end())), 1e-5);
  EXPECT_GE(test::relative_error(before, std::vector<double>(w.begin(), w.end())), 1e-2);
  EXPECT_EQ(updates, shape.ratings);
}

INSTANTIATE_TEST_SUITE_P(every, device_and_factor_step,
                         testing::Values(factor_setting{4, true, l2_form::per_occurrence},
                                         factor_setting{32, true, l2_form::by_degree},
                                         factor_setting{45, false, l2_form::per_occurrence},
                                         factor_setting{64, false, l2_form::by_degree},
                                         factor_setting{130, true, l2_form::by_degree},
                                         factor_setting{16, true, l2_form::per_occurrence, optimizer_kind::row_adagrad},
                                         factor_setting{100, false, l2_form::by_degree, optimizer_kind::row_adagrad}));

}  // namespace
