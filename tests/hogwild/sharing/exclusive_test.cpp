// SPDX-License-Identifier: Apache-2.0
// Updates that make a whole example atomic: edge_locked (AIG) and ordered (RR).
#include <hogwild/detail/sharing/exclusive.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <set>
#include <thread>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/general_model.hpp>
#include <hogwild/hogwild.hpp>
#include <hogwild/models/factorization_machine.hpp>
#include <hogwild/models/hinge_svm.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/softmax.hpp>

#include "support/heard_run.hpp"
#include "support/same_bits.hpp"
#include "support/sanitizers.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;

namespace {

thread_engine std_threads(std::size_t workers) {
  return {.workers = workers, .team = thread_team_kind::std, .pin = false};
}

/// Each row adds 1 to its column and to a parameter that no column names: if rows are atomic, a read of both finds them
/// equal. It yields after each add, so that others can come between.
struct two_alike {
  static constexpr std::string_view name = "two_alike";
  static inline std::atomic<std::size_t> seen_apart{0};
  using scalar_type = float;
  using example_type = sparse_row<float>;
  std::size_t dim() const { return 64; }
  std::array<parameter_group, 2> groups() const {
    return {{{.name = "columns", .rows = 32},
             {.name = "shared", .offset = 32, .rows = 32, .hot_first = false}}};  // another stripe
  }
  double loss(const auto&, const example_type&) const { return 0.0; }
  void gradient(const auto& w, const example_type& z, const auto& emit) const {
    const auto first = w[0], second = w[32];
    for (const auto [j, x] : z) {
      if (first != second) ++seen_apart;
      emit(j, -1.0f);
      std::this_thread::yield();
      emit(32, -1.0f);
    }
  }
};
static_assert(conforms<two_alike>());

struct exclusive : testing::TestWithParam<std::tuple<update_kind, std::size_t>> {
  const update_kind update = std::get<0>(GetParam());
  const std::size_t workers = std::get<1>(GetParam());
};

TEST_P(exclusive, an_example_is_atomic_and_loses_no_add) {
  constexpr std::size_t rows = test::sanitized ? 300 : 2000, epochs = 2;
  test::toy_rows toy;
  toy.columns = 1;
  for (std::size_t r = 0; r < rows; ++r) toy.push({0}, {1.0f}, 0.0f);
  two_alike::seen_apart = 0;
  const auto run = train(two_alike{}, toy.csr(), std_threads(workers),
                         {.epochs = epochs, .step = {.initial = 1.0, .decay = 1.0}, .update = update});
  EXPECT_EQ(run.workers, workers);
  EXPECT_EQ(run.examples, epochs * rows);
  EXPECT_EQ(two_alike::seen_apart, 0u);
  EXPECT_EQ(run.parameters[0], static_cast<float>(epochs * rows));
  EXPECT_EQ(run.parameters[32], static_cast<float>(epochs * rows));
}

TEST_P(exclusive, models_learn_and_no_read_finds_another_value_than_the_add) {
  static const auto toy = test::planted_classification({.rows = 800, .columns = 20});
  test::heard_run seen;
  const train_options options{
      .epochs = 10, .step = {.initial = 0.2, .decay = 0.8}, .update = update, .observers = {&seen}};
  const auto run = train(logistic{}, toy.csr(), std_threads(workers), options);
  const auto serial = train(logistic{}, toy.csr(), serial_engine{}, {.epochs = 10, .step = options.step});
  EXPECT_NEAR(run.objective, serial.objective, 0.02 * serial.objective);
  const epoch_report& last = seen.epochs.back();
  EXPECT_EQ(last.conflict_rate, 0.0);
  ASSERT_TRUE(last.staleness_p99);
  if (update == update_kind::ordered) {
    EXPECT_EQ(*last.staleness_p99, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(every, exclusive,
                         testing::Combine(testing::Values(update_kind::edge_locked, update_kind::ordered),
                                          testing::Values(2u, 4u, 8u)));

template <class M>
void expect_ordered_bits(const M& model, const test::toy_rows& toy, train_options options) {
  options.update = update_kind::ordered;
  const auto serial = train(model, toy.csr(), serial_engine{}, options);
  EXPECT_TRUE(std::ranges::any_of(serial.parameters, [](float w) { return w != 0.0f; }));
  for (const std::size_t workers : {1u, 2u, 4u, 8u}) {
    if (test::sanitized && workers == 4) continue;
    const auto run = train(model, toy.csr(), std_threads(workers), options);
    EXPECT_EQ(run.workers, workers);
    EXPECT_TRUE(test::same_bits(run.parameters, serial.parameters)) << workers << " workers";
    EXPECT_EQ(run.objective, serial.objective);
    EXPECT_EQ(run.updates, serial.updates);
  }
}

TEST(ordered, gives_the_bits_of_serial_with_any_number_of_workers) {
  constexpr test::toy_shape hot{.rows = test::sanitized ? 200 : 900, .columns = 12, .per_row = 4};
  const auto two = test::planted_classification(hot);
  const auto three = test::planted_classes(hot, 3);
  const step_options step{.initial = 0.3, .decay = 0.9};
  expect_ordered_bits(logistic{}, two, {.epochs = 3, .step = step, .l2 = 1e-3, .bias = true});
  expect_ordered_bits(logistic{}, two, {.epochs = 2, .step = step, .order = row_order::permuted});
  expect_ordered_bits(hinge_svm{}, two, {.epochs = 2, .step = step, .optimizer = optimizer_kind::adagrad});
  expect_ordered_bits(softmax{.features = 12, .classes = 3}, three, {.epochs = 2, .step = step, .l2 = 1e-3});
  expect_ordered_bits(factorization_machine{.features = 12}, two, {.epochs = 2});
}

TEST(ordered, visits_the_rows_in_another_order_each_epoch_and_by_another_seed) {
  const auto toy = test::planted_classification({.rows = 200, .columns = 12});
  const auto weights = [&](std::size_t epochs, std::uint64_t seed) {
    return train(
               logistic{}, toy.csr(), std_threads(2),
               {.epochs = epochs, .step = {.initial = 0.3, .decay = 1.0}, .update = update_kind::ordered, .seed = seed})
        .parameters;
  };
  EXPECT_EQ(weights(2, 1), weights(2, 1));
  EXPECT_NE(weights(2, 1), weights(2, 2));
}

TEST(edge_locked, one_worker_gives_the_bits_of_serial_without_locks) {
  const auto toy = test::planted_classification({.rows = 300, .columns = 20});
  const auto run_as = [&](const auto& engine, update_kind update) {
    return train(logistic{}, toy.csr(), engine,
                 {.epochs = 2,
                  .step = {.initial = 0.3, .decay = 0.9},
                  .update = update,
                  .sharing = sharing_kind::direct,
                  .bias = true})
        .parameters;
  };
  const auto lossy = run_as(serial_engine{}, update_kind::lossy);
  EXPECT_TRUE(test::same_bits(run_as(std_threads(1), update_kind::edge_locked), lossy));
  EXPECT_TRUE(test::same_bits(run_as(serial_engine{}, update_kind::edge_locked), lossy));
}

TEST(example_stripes, are_those_of_all_that_the_example_touches_ascending_and_once) {
  std::vector<std::uint32_t> words(64);
  const stripe_locks locks(
      words, 1, [](const void*, stripe_locks::tag) noexcept { return true; }, nullptr);
  const std::vector<parameter_group> groups{
      {.name = "rows", .rows = 30, .width = 40},
      {.name = "weights", .offset = 1200, .rows = 10, .first_column = 5},  // of columns 5 .. 14; data have 12
      {.name = "bias", .offset = 1210, .rows = 3, .hot_first = false}};
  example_stripes stripes(locks, groups, 12);
  const std::vector<std::uint32_t> index{11, 0, 3};
  const std::vector<float> value(3, 1.0f);
  const auto found = stripes.of(sparse_row<float>{index, value, 0.0f});

  std::set<std::size_t> expected;
  const auto touch = [&](std::size_t first, std::size_t last) {
    for (std::size_t j = first; j < last; ++j) expected.insert(j / 16 % 64);
  };
  for (const std::size_t column : {0u, 3u, 11u}) touch(column * 40, column * 40 + 40);
  touch(12 * 40, 30 * 40);     // rows of columns that the data do not have
  touch(1200 + 6, 1200 + 10);  // column 11, and those of columns 12 .. 14
  touch(1210, 1213);
  EXPECT_EQ(std::vector<std::size_t>(found.begin(), found.end()),
            std::vector<std::size_t>(expected.begin(), expected.end()));
}

}  // namespace
