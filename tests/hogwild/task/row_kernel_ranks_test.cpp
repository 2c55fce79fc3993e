// SPDX-License-Identifier: Apache-2.0
// Models by row kernels: of several ranks, and where numbers overflow.
#include <cmath>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/engines.hpp>
#include <hogwild/models/factorization_machine.hpp>
#include <hogwild/models/softmax.hpp>
#include <hogwild/train.hpp>

#include "support/ranks.hpp"
#include "support/toy_data.hpp"

namespace hogwild {
namespace {

constexpr test::toy_shape ranks_shape{.rows = 600, .columns = 80, .per_row = 9};

struct machine_of_ranks {
  test::toy_rows all = test::planted_classification(ranks_shape);
  factorization_machine model{.features = ranks_shape.columns, .factors = 5};
};
struct softmax_of_ranks {
  test::toy_rows all = test::planted_classes(ranks_shape, 2);
  softmax model{.features = ranks_shape.columns, .classes = 2, .bias = true};
};

template <class Case>
struct row_kernel_ranks : testing::Test, Case {
  using Case::all, Case::model;
};
using row_kernel_rank_cases = testing::Types<machine_of_ranks, softmax_of_ranks>;
TYPED_TEST_SUITE(row_kernel_ranks, row_kernel_rank_cases);

// A step that falls inside an epoch falls by the rows of all ranks: of two that have the same rows, each does what a
// process does alone, and the mean of equal numbers is that number but for rounding.
TYPED_TEST(row_kernel_ranks, in_lockstep_follow_the_schedule_of_all_rows) {
  const csr_rows rows = this->all.csr();
  for (const optimizer_kind kind : {optimizer_kind::sgd, optimizer_kind::adagrad}) {
    train_options options{.epochs = 2, .step = {.initial = 0.2, .kind = schedule_kind::linear}, .l2 = 0.0};
    options.optimizer = kind;
    const train_result alone = train(this->model, rows, serial_engine{}, options);
    std::vector<train_result> results(2);
    test::as_sound_ranks(2, [&](const test::rank_place& place) {
      const sync_engine engine{.workers = 1, .rule = sync_rule::average, .rows = 16, .ranks = &place.ranks};
      results[place.rank] = train(this->model, rows, engine, options);
    });
    for (std::size_t k = 0; k < alone.parameters.size(); ++k)
      ASSERT_NEAR(results[0].parameters[k], alone.parameters[k], 1e-5) << k;
  }
}

// The square of 1e20 is no float: a sum that overflows stands still, and so does what it divides.
TYPED_TEST(row_kernel_ranks, gradients_whose_squares_overflow_leave_parameters_finite) {
  const float other = this->all.label[0] < 0.0f ? -1.0f : 0.0f;
  test::toy_rows huge;
  huge.columns = ranks_shape.columns;
  huge.push({0, 1}, {1e20f, 1.0f}, 1.0f);
  huge.push({0}, {2e20f}, other);
  huge.push({1}, {1.0f}, 1.0f);
  const csr_rows rows = huge.csr();
  const train_result r =
      train(this->model, rows, serial_engine{},
            {.epochs = 3, .step = {.initial = 0.1}, .l2 = 0.0, .optimizer = optimizer_kind::adagrad});
  for (const float w : r.parameters) ASSERT_TRUE(std::isfinite(w));
}

}  // namespace
}  // namespace hogwild
