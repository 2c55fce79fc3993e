// SPDX-License-Identifier: Apache-2.0
// The host form of the kernels of a program's models: against double precision, and against the steps of CPU workers.
#include "named_models.hpp"

#include <array>
#include <cmath>
#include <initializer_list>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "family_and_step.hpp"
#include "margin_problem.hpp"
#include "support/fresh_seed.hpp"

using namespace hogwild;

namespace {

/// Bernstein's bounds of margin_rows_test hold here as well: the same operations in the same order.
template <class Row>
struct named_rows : test::fresh_seed<> {
  using problem = test::margin_problem<typename Row::index, typename Row::value>;

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
TYPED_TEST_SUITE(named_rows, test::all_row_kinds);

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

using named_kernels_and_cpu_steps = test::fresh_seed<>;

TEST_F(named_kernels_and_cpu_steps, agree) {
  const test::device_logistic model{.features = 300, .bias_factor = 0.25};
  for (const test::family_case& c : test::family_cases) {
    // There l2 is a partial of its own (general_body.hpp): the sums lack twice the product of both.
    const bool apart = c.optimizer == optimizer_kind::adagrad && c.l2 > 0.0;
    test::expect_family_agrees(
        random, model, device::named_kernel_family(), c, [](auto& draw) { return draw() % 2 != 0 ? 1.0f : -1.0f; },
        apart ? 0.01 : 1e-5);
  }
}

}  // namespace
