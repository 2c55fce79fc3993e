// SPDX-License-Identifier: Apache-2.0
// The device forms of the kernels of softmax, factorization machines and a program's models, run thread by thread.
#include "support/simt.hpp"
//
#include "kernels/fm_rows.cu"
#include "kernels/softmax_rows.cu"
#include "named_models.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "fm_problem.hpp"
#include "softmax_problem.hpp"
#include "support/on_fibers.hpp"

using namespace hogwild;

namespace {

/// Rows of a margin_problem, trained by models with a group for their weights and one for their bias.
template <class Margins>
struct grouped_problem : Margins {
  using Margins::Margins;
  device::general_work work() { return test::with_bias_group(Margins::work()); }
};

template <class Row>
struct general_fibers : test::on_fibers<> {
  using index = typename Row::index;
  using value = typename Row::value;
  using grouped = grouped_problem<test::margin_problem<index, value>>;

  std::vector<std::size_t> lengths(std::size_t rows = 12) { return test::row_lengths(random, rows); }
  template <class Problem, class Host, class Launch>
  void expect_bits(const Problem& rows, update_kind update, bool system_scope, const Host& host, const Launch& launch) {
    const auto set = [&](device::general_work& work) {
      work.update = update;
      work.system_scope = system_scope;
    };
    EXPECT_GT(test::expect_bits_of_host_form(rows, set, host, launch), 0u);
  }
  template <class M>
  void expect_bits_of(const M& model, const test::margin_training& training, update_kind update, bool system_scope) {
    const device::named_kernels& kernels = test::kernels_by_name<M>();
    expect_bits(
        grouped(random, lengths(20), training), update, system_scope,
        [&](const auto&, const auto& work) { kernels.train(work, test::bytes_of(model), 0, 1); },
        [&](const auto&, const auto& work) { return kernels.launch(work, test::bytes_of(model), nullptr); });
  }
};
TYPED_TEST_SUITE(general_fibers, test::wide_and_narrow_rows);

constexpr update_kind unlocked[] = {update_kind::lossy, update_kind::exact};

TYPED_TEST(general_fibers, of_softmax_give_the_bits_of_the_host_form) {
  for (const bool adagrad : {false, true})
    for (const update_kind update : unlocked)
      for (const std::uint32_t classes : {3u, 40u})
        this->expect_bits(
            test::softmax_problem<typename TestFixture::index, typename TestFixture::value>(
                this->random, this->lengths(), classes, adagrad, 0.5),
            update, classes == 3,
            [](const auto& host, const auto& work) { device::train_softmax_rows(work, host.model, 0, 1); },
            [](const auto& fibers, const auto& work) {
              return device::launch_softmax_rows(work, fibers.model, nullptr);
            });
}

TYPED_TEST(general_fibers, of_factorization_machines_give_the_bits_of_the_host_form) {
  for (const bool adagrad : {false, true})
    for (const update_kind update : unlocked)
      for (const std::uint32_t width : {8u, 16u, 40u})
        this->expect_bits(
            test::fm_problem<typename TestFixture::index, typename TestFixture::value>(
                this->random, this->lengths(), {.width = width, .adagrad = adagrad, .l2_rows = 0.5}),
            update, width == 8,
            [](const auto& host, const auto& work) { device::train_fm_rows(work, host.model, 0, 1); },
            [](const auto& fibers, const auto& work) { return device::launch_fm_rows(work, fibers.model, nullptr); });
}

TYPED_TEST(general_fibers, of_models_of_programs_give_the_bits_of_the_host_form) {
  const test::device_logistic model{.features = TestFixture::grouped::columns};
  for (const bool adagrad : {false, true})
    for (const double l2 : {0.0, 2.0})
      for (const update_kind update : unlocked)
        for (const bool system_scope : {false, true})
          this->expect_bits_of(model, {.step = 0.1, .l2_rows = l2, .adagrad = adagrad}, update, system_scope);
  this->expect_bits_of(test::device_huber{.features = TestFixture::grouped::columns}, {}, update_kind::lossy, false);
}

TYPED_TEST(general_fibers, of_margin_models_of_programs_have_their_own_derivative) {
  test::margin_problem<typename TestFixture::index, typename TestFixture::value> rows(this->random, this->lengths(20),
                                                                                      {.step = 0.01, .bias = true});
  const std::vector<double> expected = rows.trained([](double m, double y) {
    const double gap = std::max(0.0, 1 - m * y);
    return -y * gap * gap;
  });
  const test::device_cubic_hinge model{};
  EXPECT_EQ(
      test::kernels_by_name<test::device_cubic_hinge>().launch_margin(rows.work(), test::bytes_of(model), nullptr), 0);
  EXPECT_LE(test::relative_error(rows.weights, expected), 1e-5);
}

}  // namespace
