// SPDX-License-Identifier: Apache-2.0
// The same bits for any number of threads, every team, and run after run.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <stop_token>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/platform/isa.hpp>
#include <hogwild/hogwild.hpp>
#include <hogwild/models/hinge_svm.hpp>
#include <hogwild/models/huber.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/softmax.hpp>

#include "support/counting.hpp"
#include "support/eventually.hpp"
#include "support/heard_run.hpp"
#include "support/same_bits.hpp"
#include "support/sanitizers.hpp"
#include "support/scratch_folder.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;

namespace {

/// Wide enough for a merge to be cut into slices.
constexpr test::toy_shape wide{.rows = test::sanitized ? 1001 : 3001, .columns = 9000, .per_row = 12};

train_options options_of(optimizer_kind optimizer, bool bias) {
  return {.epochs = 3, .optimizer = optimizer, .reproducible = true, .bias = bias};
}

/// ThreadSanitizer does not see how OpenMP and oneTBB hand memory over.
const std::vector<thread_team_kind> teams =
    test::thread_sanitized ? std::vector{thread_team_kind::std}
                           : std::vector{thread_team_kind::openmp, thread_team_kind::tbb, thread_team_kind::std};

thread_engine threads(std::size_t workers, thread_team_kind team = thread_team_kind::std) {
  return {.workers = workers, .team = team};
}

template <class Model>
void expect_same_bits(const Model& model, const test::toy_rows& toy, const train_options& options) {
  const csr_rows data = toy.csr();
  const train_result one = train(model, data, serial_engine{}, options);
  const std::vector<float> expected = one.parameters;
  EXPECT_EQ(one.status, run_status::done);
  EXPECT_TRUE(std::ranges::any_of(one.parameters, [](float w) { return w != 0.0f; }));
  for (const thread_team_kind team : teams) {
    for (const std::size_t workers : {1u, 2u, 4u, 8u}) {
      if (test::sanitized && workers != 2 && workers != 8) continue;
      const train_result run = train(model, data, threads(workers, team), options);
      EXPECT_TRUE(test::same_bits(run.parameters, expected)) << workers << " threads";
      EXPECT_EQ(run.objective, one.objective);
      EXPECT_EQ(run.examples, one.examples);
      EXPECT_EQ(run.rows_lost, 0u);
    }
  }
  EXPECT_TRUE(test::same_bits(train(model, data, serial_engine{}, options).parameters, expected)) << "a second run";
}

struct reproducible : testing::TestWithParam<std::tuple<optimizer_kind, bool>> {
  train_options options = options_of(std::get<0>(GetParam()), std::get<1>(GetParam()));
};

TEST_P(reproducible, logistic_has_the_same_bits) {
  expect_same_bits(logistic{}, test::planted_classification(wide), options);
}
TEST_P(reproducible, hinge_svm_has_the_same_bits) {
  expect_same_bits(hinge_svm{}, test::planted_classification(wide), options);
}
TEST_P(reproducible, least_squares_has_the_same_bits) {
  expect_same_bits(least_squares{}, test::planted_regression(wide), options);
}
TEST_P(reproducible, huber_has_the_same_bits) {
  expect_same_bits(huber{}, test::planted_regression(wide), options);
}
INSTANTIATE_TEST_SUITE_P(every, reproducible,
                         testing::Combine(testing::Values(optimizer_kind::sgd, optimizer_kind::adagrad),
                                          testing::Bool()));

TEST(reproducible_softmax, has_the_same_bits_under_every_optimiser) {
  const test::toy_rows toy = test::planted_classes({.rows = 2000, .columns = 900, .per_row = 12}, 5);
  for (const auto optimizer : {optimizer_kind::sgd, optimizer_kind::adagrad}) {
    train_options options = options_of(optimizer, false);
    options.l2 = 1e-4;
    expect_same_bits(softmax{.features = 900, .classes = 5}, toy, options);
  }
}

TEST(reproducible_runs, have_the_same_bits_whatever_the_number_of_virtual_workers_that_is_asked_for) {
  const test::toy_rows toy = test::planted_classification(wide);
  std::vector<std::vector<float>> results;
  for (const std::size_t virtual_workers : {1u, 2u, 3u, 8u, 32u}) {
    train_options options = options_of(optimizer_kind::sgd, true);
    options.virtual_workers = virtual_workers;
    expect_same_bits(logistic{}, toy, options);
    results.push_back(train(logistic{}, toy.csr(), serial_engine{}, options).parameters);
  }
  for (std::size_t i = 1; i < results.size(); ++i) EXPECT_NE(results[i], results[i - 1]) << "the number has no effect";
}

TEST(reproducible_runs, have_the_same_bits_on_every_instruction_set) {
  const test::toy_rows toy = test::planted_classification(wide);
  train_options options = options_of(optimizer_kind::sgd, true);
  options.isa = isa::scalar;
  const auto expected = train(logistic{}, toy.csr(), threads(2), options).parameters;
  for (const isa set : {isa::avx2, isa::avx512}) {
    if (!has_isa(set)) continue;
    options.isa = set;
    EXPECT_TRUE(test::same_bits(train(logistic{}, toy.csr(), threads(2), options).parameters, expected));
  }
}

TEST(reproducible_runs, have_the_same_bits_in_any_order_of_rows_and_with_epochs_of_several_gates) {
  const test::toy_rows toy = test::planted_classification({.rows = 1500, .columns = 300, .per_row = 8});
  for (const auto order : {row_order::permuted, row_order::replacement}) {
    train_options options = options_of(optimizer_kind::sgd, false);
    options.order = order;
    expect_same_bits(logistic{}, toy, options);
  }
  train_options strong = options_of(optimizer_kind::sgd, true);
  strong.l2 = 0.1;
  strong.step = {.initial = 0.2};
  expect_same_bits(logistic{}, toy, strong);
}

TEST(reproducible_runs, train_each_row_once_an_epoch_and_lose_no_gain_of_any_turn) {
  for (const std::size_t rows : {1u, 2u, 7u, 500u, 6001u}) {
    test::toy_rows toy;
    toy.columns = rows;
    for (std::uint32_t r = 0; r < rows; ++r) toy.push({r}, {1.0f}, 0.0f);
    for (const std::size_t virtual_workers : {1u, 2u, 5u, 32u}) {
      train_options options{.epochs = 3, .step = {.initial = 1.0}, .reproducible = true};
      options.virtual_workers = virtual_workers;
      const train_result run = train(test::counting_columns{rows}, toy.csr(), threads(3), options);
      EXPECT_EQ(run.examples, 3 * rows);
      for (const float n : run.parameters) ASSERT_EQ(n, 3.0f) << rows << " rows, " << virtual_workers;
    }
  }
}

TEST(reproducible_runs, go_on_from_a_checkpoint_as_if_nothing_had_been) {
  const test::toy_rows toy = test::planted_classification(wide);
  const test::scratch_folder folder;
  for (const auto optimizer : {optimizer_kind::sgd, optimizer_kind::adagrad}) {
    train_options options = options_of(optimizer, true);
    options.epochs = 6;
    options.step = {.initial = 0.5, .decay = 0.8};
    const auto expected = train(logistic{}, toy.csr(), serial_engine{}, options).parameters;
    options.epochs = 2;
    options.checkpoint = (folder.path() / "half").string();
    train(logistic{}, toy.csr(), threads(2), options);
    options.epochs = 6;
    options.resume = std::exchange(options.checkpoint, "");
    EXPECT_TRUE(test::same_bits(train(logistic{}, toy.csr(), threads(3), options).parameters, expected));
    options.virtual_workers = 3;
    EXPECT_THROW(train(logistic{}, toy.csr(), serial_engine{}, options), config_error);
  }
}

TEST(reproducible_runs, have_the_same_bits_where_summed_gains_overshoot_and_an_epoch_is_trained_again) {
  // One column in every row, and far more rows a turn than its curvature allows.
  test::toy_rows toy = test::planted_regression({.rows = 2000, .columns = 20, .per_row = 5});
  for (float& x : toy.value) x = 1.0f;
  train_options options = options_of(optimizer_kind::sgd, false);
  options.virtual_workers = 8;
  options.step = {.initial = 0.15};
  test::heard_run seen;
  options.observers = {&seen};
  expect_same_bits(least_squares{}, toy, options);
  EXPECT_THAT(seen.notes, testing::Contains(testing::HasSubstr("overshot")));
}

TEST(reproducible_runs, count_the_rows_of_other_virtual_workers_as_staleness_and_no_conflicts) {
  const test::toy_rows toy = test::planted_classification(wide);
  test::heard_run seen;
  train_options options = options_of(optimizer_kind::sgd, false);
  options.virtual_workers = 2;
  options.observers = {&seen};
  train(logistic{}, toy.csr(), threads(2), options);
  const epoch_report& last = seen.epochs.back();
  ASSERT_TRUE(last.staleness_p50 && last.conflict_rate);
  EXPECT_GT(*last.staleness_p50, 0u);
  EXPECT_EQ(*last.conflict_rate, 0.0);
}

TEST(reproducible_runs, end_where_serial_training_ends) {
  const test::toy_rows toy = test::planted_classification({.rows = 8000, .columns = 400, .per_row = 10});
  train_options options{.epochs = 10};
  const double serial = train(logistic{}, toy.csr(), serial_engine{}, options).objective;
  options.reproducible = true;
  EXPECT_NEAR(train(logistic{}, toy.csr(), threads(2), options).objective, serial, 0.005 * serial);
}

TEST(reproducible_runs, stop_at_the_end_of_a_turn_when_asked_to) {
  const test::toy_rows toy = test::planted_classification({.rows = 20000, .columns = 9000, .per_row = 12});
  for (std::size_t i = 0; i < 10; ++i) {
    std::stop_source stop;
    std::atomic<bool> begun = i % 2 == 0;  // half of them surely stop behind the first epoch
    const train_options options{.epochs = 1'000'000,
                                .step = {.initial = 0.5},
                                .reproducible = true,
                                .observers = {[&](const epoch_report&) { begun = true; }},
                                .stop = stop.get_token()};
    std::jthread asks([&, i] {
      EXPECT_TRUE(test::eventually(std::chrono::minutes(1), [&] { return begun.load(); }));
      std::this_thread::sleep_for(std::chrono::microseconds(500 + 777 * i));
      stop.request_stop();
    });
    const train_result run = train(logistic{}, toy.csr(), threads(4), options);
    EXPECT_EQ(run.status, run_status::stopped);
    EXPECT_GE(run.epochs, i % 2);
    // Before the first measurement there is no number.
    if (run.epochs > 0) {
      EXPECT_LE(run.objective, 0.7);
    }
    for (const float w : run.parameters) ASSERT_TRUE(std::isfinite(w));
  }
}

/// A row source that finds some rows damaged.
struct damaged_source final : row_source {
  void ensure(std::size_t first, std::size_t last) const override {
    if (armed && first <= 900 && 900 < last) throw cache_error("", "row 900 is damaged");
  }
  mutable bool armed = false;
};

TEST(reproducible_runs, end_with_the_error_of_a_worker_while_the_others_wait_for_it) {
  const test::kept_rows rows = test::planted_classification(wide);
  sparse_view view = rows.view();
  damaged_source source;
  view.source = &source;
  train_options options = options_of(optimizer_kind::sgd, false);
  options.observers = {[&](const epoch_report&) { source.armed = true; }};
  EXPECT_THROW(train(logistic{}, view, threads(4), options), cache_error);
}

}  // namespace
