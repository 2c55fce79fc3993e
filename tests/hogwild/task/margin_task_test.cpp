// SPDX-License-Identifier: Apache-2.0
// Margin models by kernels under adagrad, against training row by row, which one worker under direct sharing does.
#include <hogwild/detail/task/margin_task.hpp>

#include <cmath>
#include <cstddef>
#include <functional>

#include <gtest/gtest.h>

#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/memory/private_memory.hpp>
#include <hogwild/hogwild.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/squared_hinge.hpp>

#include "support/toy_data.hpp"

namespace hogwild {
namespace {

struct adagrad_runs : testing::Test {
  train_result run(const auto& model, const auto& engine, const std::function<void(train_options&)>& change) const {
    train_options options{
        .epochs = 5, .step = {.initial = 0.2, .decay = 0.9}, .l2 = 1e-3, .optimizer = optimizer_kind::adagrad};
    change(options);
    return train(model, rows, engine, options);
  }
  // Both take the same rows in the same order, but round differently: some 10^4 steps of at most 0.2, each off by 1e-6
  // of itself at most.
  void expect_alike(const auto& model, const std::function<void(train_options&)>& change) const {
    const auto with = [&](sharing_kind sharing) {
      return run(model, serial_engine{}, [&](train_options& o) {
        change(o);
        o.sharing = sharing;
      });
    };
    const train_result by_row = with(sharing_kind::direct), by_kernels = with(sharing_kind::automatic);
    EXPECT_NEAR(by_kernels.objective, by_row.objective, 1e-5 * by_row.objective);
    ASSERT_EQ(by_kernels.parameters.size(), by_row.parameters.size());
    for (std::size_t j = 0; j < by_row.parameters.size(); ++j)
      EXPECT_NEAR(by_kernels.parameters[j], by_row.parameters[j], 2e-3f);
    EXPECT_NE(by_kernels.parameters, by_row.parameters) << "there were no kernels";
  }

  test::kept_rows rows = test::planted_classification({.rows = 1500, .columns = 200, .per_row = 11});
};

TEST_F(adagrad_runs, kernels_do_what_is_done_row_by_row) {
  expect_alike(logistic{}, [](auto&) {});
  expect_alike(logistic{}, [](auto& o) { o.bias = false; });
  expect_alike(logistic{}, [](auto& o) { o.l2 = 0.0, o.weight_positive = 3.0; });
  expect_alike(squared_hinge{}, [](auto& o) { o.order = row_order::permuted; });
}

// Workers race: over forty runs the ratio had the mean 0.9997 and the deviation 0.0004; the bound is fifty deviations
// away.
TEST_F(adagrad_runs, two_workers_end_as_well_as_one) {
  const auto change = [](auto& o) { o.epochs = 10; };
  const double serial = run(logistic{}, serial_engine{}, change).objective;
  const thread_engine two{.workers = 2, .team = thread_team_kind::std, .pin = false};
  EXPECT_LT(run(logistic{}, two, change).objective, 1.02 * serial);
}

// The square of 1e20 is no float: a sum that overflows stands still, and so does what it divides.
TEST_F(adagrad_runs, whose_squares_overflow_leave_parameters_finite) {
  test::toy_rows huge;
  huge.columns = 2;
  huge.push({0, 1}, {1e20f, 1.0f}, 1.0f);
  huge.push({0}, {2e20f}, -1.0f);
  huge.push({1}, {1.0f}, 1.0f);
  const csr_rows of = huge.csr();
  const train_result r =
      train(logistic{}, of, serial_engine{},
            {.epochs = 3, .step = {.initial = 0.1}, .l2 = 0.0, .optimizer = optimizer_kind::adagrad});
  for (const float w : r.parameters) EXPECT_TRUE(std::isfinite(w));
}

TEST_F(adagrad_runs, repeat_to_the_bit_where_that_is_asked_for) {
  const auto asked = [](train_options& o) { o.reproducible = true, o.virtual_workers = 2; };
  const auto with = [&](std::size_t workers) {
    const thread_engine threads{.workers = workers, .team = thread_team_kind::std, .pin = false};
    return run(logistic{}, threads, asked).parameters;
  };
  EXPECT_EQ(with(1), with(2));
}

// Momentum beside locked examples is refused before workers begin. A worker that gets there all the same throws: to
// return would end a run that nobody has trained.
TEST_F(adagrad_runs, workers_throw_where_no_step_is_written_for_their_arrays) {
  train_options options{.step = {.initial = 0.1}, .optimizer = optimizer_kind::momentum};
  const prepared_task made = prepare(logistic{}, rows.view(), options);
  loop_options decided = made.task->options();
  decided.sharing = access_kind::direct;
  decided.update = update_kind::edge_locked;
  const loop_plan plan = made.task->plan(decided);
  const param_store store = param_store::in_memory(made.task->shape(plan, 1, 0, 0));
  store.control().round = round_plan{};
  worker_memory memory;
  try {
    made.task->work({plan, store, 0, memory, nullptr});
    FAIL() << "it has trained nothing, and says nothing";
  } catch (const error& e) {
    EXPECT_EQ(e.code(), exit_code::internal);
    EXPECT_STREQ(e.what(),
                 "there is no step of logistic under momentum on direct arrays with edge_locked updates, and "
                 "nothing has refused these options: please report it; leave sharing and update at their "
                 "defaults meanwhile");
  }
}

}  // namespace
}  // namespace hogwild
