// SPDX-License-Identifier: Apache-2.0
// Ratings on every engine of one process, under every ownership.
#include <hogwild/detail/task/kernel_loops.hpp>

#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/error.hpp>
#include <hogwild/hogwild.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/models/matrix_factorization.hpp>

#include "support/refusal.hpp"
#include "support/sanitizers.hpp"
#include "support/toy_ratings.hpp"

namespace hogwild {
namespace {

using testing::HasSubstr;

constexpr test::toy_ratings_shape shape{};

/// OpenMP's threads spin where they wait, which takes long where CPUs are few.
thread_engine threads(std::size_t workers) {
  return {.workers = workers, .team = thread_team_kind::std, .pin = false};
}

struct factor_runs : testing::Test {
  train_result run(const auto& engine, const std::function<void(train_options&)>& change = {}) {
    // Enough for the factors to have grown: they begin small. ThreadSanitizer has time for how threads share them.
    train_options options{
        .epochs = test::thread_sanitized ? 6u : 60u, .step = {.initial = 0.1, .decay = 0.94}, .test = held};
    if (change) change(options);
    return train(test::factors_of(shape), data, engine, options);
  }
  /// The noise is 0.2 / sqrt(12) = 0.06; without factors the ratings are 0.5 apart.
  static void expect_learned(const train_result& result) {
    ASSERT_TRUE(result.test && result.test->rmse);
    if (!test::thread_sanitized) {
      EXPECT_LT(*result.test->rmse, 0.3);
    }
  }
  /// Within a fiftieth of the serial run's RMSE.
  void expect_as_good(const train_result& result) {
    EXPECT_EQ(result.status, run_status::done);
    expect_learned(result);
    if (test::thread_sanitized) return;
    static const double serial = *run(serial_engine{}).test->rmse;  // the same each time
    EXPECT_NEAR(*result.test->rmse, serial, 0.02 * serial);
    EXPECT_LT(serial, 0.3);
  }
  std::string refusal(const std::function<void(train_options&)>& change) {
    return test::refusal_of([&] { run(threads(2), change); }, "not refused");
  }

  test::kept_rows whole = test::planted_ratings(shape);
  sparse_view rows = whole.view();
  sparse_view data = rows.slice(0, 5000), held = rows.slice(5000, 6000);
};

TEST_F(factor_runs, owners_are_as_good_as_one_worker) {
  for (const std::size_t workers : {1u, 2u, 4u}) {
    if (test::thread_sanitized && workers != 2) continue;
    expect_as_good(run(threads(workers)));
  }
}

TEST_F(factor_runs, shared_rows_are_too) {
  expect_as_good(run(threads(2), [](auto& o) { o.ownership = ownership_kind::shared; }));
  expect_as_good(run(threads(2), [](auto& o) { o.update = update_kind::exact; }));
  expect_as_good(run(threads(2), [](auto& o) { o.update = update_kind::locked; }));
}

TEST_F(factor_runs, replicas_are_too) {
  expect_as_good(run(threads(2), [](auto& o) { o.sharing = sharing_kind::buffered; }));
}

TEST_F(factor_runs, repeat_to_the_bit_where_that_is_asked_for) {
  const auto asked = [](train_options& o) { o.reproducible = true, o.virtual_workers = 2; };
  const train_result one = run(threads(1), asked), two = run(threads(2), asked);
  EXPECT_EQ(one.parameters, two.parameters);
  expect_as_good(two);
}

TEST_F(factor_runs, other_orders_and_optimisers_go_by_the_gradient) {
  if (!test::thread_sanitized) expect_as_good(run(serial_engine{}, [](auto& o) { o.order = row_order::permuted; }));
  for (const optimizer_kind kind : {optimizer_kind::row_adagrad, optimizer_kind::adagrad}) {
    const train_result result = run(threads(2), [kind](auto& o) {
      o.optimizer = kind;
      o.step.initial = 0.1;
    });
    SCOPED_TRACE(static_cast<int>(kind));
    expect_learned(result);
  }
}

TEST_F(factor_runs, l2_by_degree_holds_what_each_rating_does_on_the_average) {
  // A user has 5000 / 120 = 42 ratings on average, an item 62: l2 * n / 50 is 0.04.
  const train_result result = run(threads(2), [](auto& o) {
    o.form = l2_form::by_degree;
    o.l2 = 0.04 * 50.0 / 5000.0;
  });
  expect_learned(result);
}

TEST_F(factor_runs, a_frozen_group_stays_as_it_was) {
  const matrix_factorization m = test::factors_of(shape);
  std::vector<float> before(m.dim());
  m.init(param_view<float>(std::span(before)), counter_random(1, 0x696e6974u));
  const train_result result = run(threads(2), [](auto& o) { o.freeze = {"items"}, o.epochs = 4; });
  const parameter_group users = m.groups()[0], items = m.groups()[1];
  for (std::size_t j = 0; j < items.rows * items.width; ++j)
    ASSERT_EQ(result.parameters[items.offset + j], before[items.offset + j]);
  EXPECT_NE(result.parameters[users.offset], before[users.offset]);
}

TEST_F(factor_runs, padding_stays_zero) {
  const matrix_factorization m = test::factors_of(shape);
  const train_result result = run(threads(2), [](auto& o) { o.epochs = 4; });
  for (std::size_t row = 0; row < m.users + m.items; ++row) {
    for (std::size_t k = m.factors; k < m.width(); ++k) ASSERT_EQ(result.parameters[row * m.width() + k], 0.0f);
  }
}

TEST_F(factor_runs, blocks_refuse_what_does_not_go_with_them) {
  const auto blocks_and = [this](const auto& change) {
    return refusal([&](train_options& o) {
      o.ownership = ownership_kind::blocks, o.epochs = 1;
      change(o);
    });
  };
  EXPECT_EQ(blocks_and([](train_options&) {}), "not refused");
  EXPECT_THAT(blocks_and([](auto& o) { o.reproducible = true; }), HasSubstr("leave out reproducible"));
  EXPECT_THAT(blocks_and([](auto& o) { o.update = update_kind::exact; }), HasSubstr("leave out the update"));
  EXPECT_THAT(blocks_and([](auto& o) { o.order = row_order::permuted; }), HasSubstr("an order of their own"));
  EXPECT_THAT(blocks_and([](auto& o) { o.sharing = sharing_kind::buffered; }), HasSubstr("the shared array"));
  EXPECT_THAT(blocks_and([](auto& o) { o.shards = sharding::fixed; }), HasSubstr("claimed"));
  EXPECT_THAT(blocks_and([](auto& o) { o.optimizer = optimizer_kind::adam; }), HasSubstr("sgd or row_adagrad"));
  EXPECT_THAT(blocks_and([](auto& o) { o.freeze = {"users"}; }), HasSubstr("shared ownership"));
  train_options options{.epochs = 1, .ownership = ownership_kind::shared};
  EXPECT_THROW(train(least_squares{}, data, serial_engine{}, options), config_error);
}

TEST_F(factor_runs, rows_that_are_no_ratings_are_refused) {
  whole.index[3] = 0;  // row 2 has two users then
  EXPECT_THROW(run(threads(2)), input_error);
  EXPECT_THROW(train(matrix_factorization{.users = 120, .items = 79}, data, serial_engine{}, {}), config_error);
}

}  // namespace
}  // namespace hogwild
