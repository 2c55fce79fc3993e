// SPDX-License-Identifier: Apache-2.0
// Kernels do what the general step does with the model's own gradient.
#include <hogwild/detail/loop/factor_step.hpp>

#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/loop/general_step.hpp>
#include <hogwild/detail/run/column_counts.hpp>
#include <hogwild/detail/sharing/private.hpp>

#include "support/toy_ratings.hpp"

namespace hogwild {
namespace {

struct whole_arrays final : private_arrays<float> {
  explicit whole_arrays(const param_store& store) : private_arrays<float>(nullptr) {
    values_ = {store.parameters<float>(), store.state<float>(0)};
  }
  void begin_round(const round_plan&) override {}
};

struct setting {
  std::size_t factors;
  bool bias;
  l2_form form;
  optimizer_kind optimizer;
};
void PrintTo(const setting& s, std::ostream* out) {
  *out << "factors " << s.factors << (s.bias ? " with biases, " : ", ")
       << (s.form == l2_form::by_degree ? "by degree" : "per occurrence")
       << (s.optimizer == optimizer_kind::sgd ? "" : ", row_adagrad");
}

struct factor_steps : testing::TestWithParam<setting> {};

TEST_P(factor_steps, by_kernels_are_those_of_the_gradient) {
  const test::toy_ratings_shape shape{.users = 30, .items = 20, .ratings = 400};
  const test::kept_rows data = test::planted_ratings(shape);
  const matrix_factorization m = test::factors_of(shape, GetParam().factors, GetParam().bias);
  const std::vector<std::uint32_t> degree = count_columns(data.view());
  const label_map labels;
  for (const isa set : {isa::scalar, isa::avx2, isa::avx512}) {
    if (!has_isa(set)) continue;
    // The general step divides the changed row by 1 + step * l2, kernels the row before its change: in each of a row's
    // some 15 ratings that is step * l2 * |change| < 0.05 * 0.003 * 0.05 = 8e-6. Without l2 the rows would be off by
    // 15 * 0.05 * 0.003 * 0.4 = 9e-4.
    const double l2 = GetParam().form == l2_form::by_degree ? 1e-4 : 3e-3;
    const loop_options options{.optimizer = GetParam().optimizer,
                               .l2 = GetParam().optimizer == optimizer_kind::sgd ? l2 : 0.0,
                               .form = GetParam().form,
                               .dense_isa = set};
    const step_context context{labels, degree, shape.ratings, options};
    const auto fresh = [&] {
      param_store store = param_store::in_memory({.parameters = m.dim(), .state_arrays = 1});
      m.init(param_view<float>(store.parameters<float>()), counter_random(1, 1));
      return store;
    };
    const round_plan round{.step = 0.05, .step_end = 0.05};
    const param_store general_store = fresh(), kernel_store = fresh();
    const auto train_all = [&](auto&& step) {
      step.begin_round(round);
      step.begin(round, 0.0);
      row_cursor cursor(data.view());
      for (std::size_t r = 0; r < data.rows(); ++r)
        step.train(step.reader(), step.example(cursor, r), [](std::size_t, float) {});
    };
    whole_arrays general_arrays(general_store), kernel_arrays(kernel_store);
    using sharing_type = private_sharing<float>;
    const sharing_type sharing(general_arrays);
    using view = sharing_type::view_type;
    if (options.optimizer == optimizer_kind::sgd)
      train_all(general_step<matrix_factorization, sharing_type, sgd<view>>(sharing, m, context));
    else
      train_all(general_step<matrix_factorization, sharing_type, block_optimizer<view>>(sharing, m, context));

    const rating_list list = ratings_of(data.view(), m.users, m.items);
    factor_step<matrix_factorization, sharing_type> kernels(sharing_type(kernel_arrays), m, context, list);
    kernels.begin_round(round);
    kernels.begin(round, 0.0);
    kernels.train_run(0, 150);
    kernels.train_run(150, data.rows() - 150);

    const auto expected = general_store.parameters<float>(), found = kernel_store.parameters<float>();
    // Adagrad divides by numbers that may be small, which costs some digits.
    const float bound = options.optimizer == optimizer_kind::sgd ? 2e-4f : 1e-3f;
    for (std::size_t j = 0; j < m.dim(); ++j) ASSERT_NEAR(found[j], expected[j], bound) << name_of(set) << " " << j;
  }
}

INSTANTIATE_TEST_SUITE_P(every, factor_steps,
                         testing::Values(setting{4, true, l2_form::per_occurrence, optimizer_kind::sgd},
                                         setting{32, true, l2_form::by_degree, optimizer_kind::sgd},
                                         setting{32, false, l2_form::per_occurrence, optimizer_kind::sgd},
                                         setting{100, true, l2_form::per_occurrence, optimizer_kind::sgd},
                                         setting{16, true, l2_form::per_occurrence, optimizer_kind::row_adagrad}));

}  // namespace
}  // namespace hogwild
