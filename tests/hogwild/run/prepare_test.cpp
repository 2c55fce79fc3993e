// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/prepare.hpp>

#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/run/curvature.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/train.hpp>

#include "support/toy_data.hpp"

using namespace hogwild;

namespace {

/// Rows whose first column is the same large value: sixteen of them at once walk sixteen times as far along it.
test::toy_rows rows_with_one_long_column() {
  test::toy_rows toy;
  toy.columns = 21;
  for (std::uint32_t r = 0; r < 3200; ++r) toy.push({0, 1 + r % 20}, {3.0f, 1.0f}, 5.0f + static_cast<float>(r % 7));
  return toy;
}

struct shortened_batch : testing::Test {
  const test::toy_rows toy = rows_with_one_long_column();
  const csr_rows data = toy.csr();
  const double curvature = largest_eigenvalue(data.view());

  train_result trained(double step, std::size_t batch) const {
    return train(least_squares{}, data.view(), serial_engine{},
                 {.epochs = 3, .step = {.initial = step}, .batch = batch});
  }
};

TEST_F(shortened_batch, has_as_many_rows_as_a_given_step_allows) {
  for (const std::size_t allowed : {1u, 5u, 11u}) {
    const double step = 1.0 / (curvature * (static_cast<double>(allowed) + 0.5));
    const train_result run = trained(step, 16);
    EXPECT_EQ(run.status, run_status::done);
    EXPECT_EQ(run.parameters, trained(step, allowed).parameters);
    if (allowed > 1) {
      EXPECT_NE(run.parameters, trained(step, allowed - 1).parameters);
    }
  }
}

TEST_F(shortened_batch, is_what_was_asked_for_where_the_step_allows_it) {
  const double step = 1.0 / (curvature * 40.0);
  EXPECT_NE(trained(step, 16).parameters, trained(step, 15).parameters);
  EXPECT_NE(trained(step, 4).parameters, trained(step, 5).parameters);
}

}  // namespace
