// SPDX-License-Identifier: Apache-2.0
// row_adagrad has one number a row in memory, under every engine, and for each parameter in what a run returns.
#include <hogwild/detail/worker/row_state.hpp>

#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/task/make_task.hpp>
#include <hogwild/detail/task/task_facts.hpp>
#include <hogwild/models/matrix_factorization.hpp>
#include <hogwild/models/skip_gram.hpp>
#include <hogwild/train.hpp>
#include <hogwild/trainer.hpp>
#include <hogwildpp/ring_engine.hpp>

#include "support/planned_task.hpp"
#include "support/toy_ratings.hpp"

using namespace hogwild;

namespace {

/// Users and items with odd numbers have no ratings.
struct half_rated {
  static constexpr test::toy_ratings_shape shape{.users = 40, .items = 30, .ratings = 2000};
  test::kept_rows data;
  matrix_factorization model = test::factors_of(shape, 20);

  static test::toy_rows rows() {
    test::toy_rows all = test::planted_ratings(shape);
    for (std::uint32_t& column : all.index) column -= column % 2;
    return all;
  }
  half_rated() : data(rows()) {}

  train_options options() const {
    return {.epochs = 3,
            .step = {.initial = 0.1, .kind = schedule_kind::constant},
            .l2 = 1e-3,
            .optimizer = optimizer_kind::row_adagrad,
            .keep_state = true};
  }

  /// Every row that has ratings has a number above 0 at its first parameter; all others are 0.
  template <class Engine>
  void expect_numbers_of_rows(const Engine& engine, const train_options& options) const {
    const train_result run = train(model, data, engine, options);
    ASSERT_EQ(run.state.arrays.size(), 1u);
    const std::vector<float>& state = run.state.arrays.front();
    ASSERT_EQ(state.size(), model.dim());
    for (const parameter_group& g : model.groups()) {
      for (std::size_t r = 0; r < g.rows; ++r) {
        const bool rated = (g.first_column + r) % 2 == 0;
        for (std::size_t k = 0; k < g.width; ++k) {
          const float number = state[g.offset + r * g.width + k];
          if (rated && k == 0)
            EXPECT_GT(number, 0.0f) << g.name << " " << r;
          else
            EXPECT_EQ(number, 0.0f) << g.name << " " << r << ", parameter " << k;
        }
      }
    }
  }
};

TEST(row_state, is_of_rows_under_every_engine) {
  const half_rated of;
  const train_options usual = of.options();
  train_options reproducible = usual, exact = usual, buffered = usual;
  reproducible.reproducible = true;
  exact.update = update_kind::exact;
  buffered.sharing = sharing_kind::buffered;
  const auto expect = [&](const char* what, const auto& engine, const train_options& options) {
    SCOPED_TRACE(what);
    of.expect_numbers_of_rows(engine, options);
  };
  expect("serial", serial_engine{}, usual);
  expect("threads", thread_engine{.workers = 2}, usual);
  expect("exact", thread_engine{.workers = 2}, exact);
  expect("reproducible", thread_engine{.workers = 2}, reproducible);
  expect("buffered", thread_engine{.workers = 2}, buffered);
  expect("all_reduce", all_reduce_engine{.workers = 2}, usual);
  expect("local_sgd", local_sgd_engine{.workers = 2}, usual);
  for (const ring_rule rule : {ring_rule::deltas, ring_rule::released, ring_rule::average})
    expect("ring", ring_engine{.workers = 3, .replicas = 3, .rule = rule}, usual);
}

TEST(row_state, is_as_short_as_there_are_rows) {
  const half_rated of;
  const auto numbers = [&](optimizer_kind by, std::uint32_t devices) {
    loop_options options{.optimizer = by, .device_count = devices};
    const test::planned_task planned(make_task(of.model, of.data.view(), {}, options));
    return planned.shape(1).numbers_of_state();
  };
  EXPECT_EQ(numbers(optimizer_kind::row_adagrad, 0), 2u * (of.shape.users + of.shape.items));
  EXPECT_EQ(numbers(optimizer_kind::adagrad, 0), of.model.dim());
  // The two halves of a word's row have numbers of their own.
  EXPECT_FALSE(facts_of(skip_gram(), of.data.view(), {}).emits_rows);
  // Kernels of devices have a number for each parameter.
  EXPECT_EQ(numbers(optimizer_kind::row_adagrad, 1), of.model.dim());
}

TEST(row_state, is_in_the_order_of_the_parameters) {
  const std::vector<parameter_group> groups{{.name = "last", .offset = 20, .rows = 4, .width = 2, .hot_first = false},
                                            {.name = "rows", .rows = 5, .width = 4},
                                            {.name = "none", .offset = 28, .rows = 0, .width = 0}};
  EXPECT_EQ(row_state_length(groups), 5u + 4u);
  const param_store store = param_store::in_memory({.parameters = 28, .state_arrays = 2, .state_length = 9});
  ASSERT_EQ(store.state<float>(1).size(), 9u);
  std::vector<float> given(28);
  for (std::size_t j = 0; j < given.size(); ++j)
    given[j] = j % (j < 20 ? 4 : 2) == 0 ? static_cast<float>(j + 1) : 0.0f;
  set_state<float>(store, 1, groups, given);
  const std::vector<float> kept(store.state<float>(1).begin(), store.state<float>(1).end());
  EXPECT_EQ(kept, (std::vector<float>{1, 5, 9, 13, 17, 21, 23, 25, 27}));
  EXPECT_EQ(long_state<float>(store, 1, groups), given);
  EXPECT_EQ(groups_of_array(store.shape(), 0, groups).front().offset, 20u);
  EXPECT_EQ(groups_of_array(store.shape(), 1, groups).front().offset, 5u);
}

}  // namespace
