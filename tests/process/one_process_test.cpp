// SPDX-License-Identifier: Apache-2.0
// One worker process computes what the serial engine computes, bit for bit; several end near it.
#include <gtest/gtest.h>

#include <hogwild/detail/platform/machine.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/registry.hpp>

#include "process_run.hpp"
#include "support/program_role.hpp"
#include "support/scratch_folder.hpp"
#include "support/timing_laws.hpp"

namespace hogwild {
namespace {

using test::toy_rows;

struct run_kind {
  update_kind update;
  optimizer_kind optimizer;
  sharding shards;
  sharing_kind sharing;
};

std::vector<run_kind> all_kinds() {
  std::vector<run_kind> kinds;
  for (const auto update : {update_kind::lossy, update_kind::exact, update_kind::locked}) {
    for (const auto optimizer : {optimizer_kind::sgd, optimizer_kind::adagrad}) {
      for (const auto shards : {sharding::claimed, sharding::fixed}) {
        for (const auto sharing : {sharing_kind::direct, sharing_kind::automatic}) {
          kinds.push_back({update, optimizer, shards, sharing});
        }
      }
    }
  }
  return kinds;
}

template <class Model>
void expect_equal(const Model& m, const sparse_view& data, const train_options& options) {
  const train_result one = train(m, data, process_engine{.workers = 1}, options);
  const train_result serial = train(m, data, serial_engine{}, options);
  EXPECT_EQ(one.parameters, serial.parameters);
  EXPECT_EQ(one.train_loss, serial.train_loss);
  EXPECT_EQ(one.examples, serial.examples);
  EXPECT_EQ(one.workers_replaced, 0u);
  EXPECT_TRUE(test::leftovers().empty());
}

struct one_process : testing::TestWithParam<run_kind> {
  train_options options() const {
    return {.epochs = 3,
            .step = {.initial = 0.1, .decay = 0.9},
            .update = GetParam().update,
            .optimizer = GetParam().optimizer,
            .sharing = GetParam().sharing,
            .shards = GetParam().shards};
  }
  train_options with_bias() const {
    train_options o = options();
    o.bias = true;
    return o;
  }
  toy_rows classes = test::planted_classification({.rows = 300});
  toy_rows numbers = test::planted_regression({.rows = 300});
  toy_rows several = test::planted_classes({.rows = 300}, 4);
};

TEST_P(one_process, equals_serial_logistic) {
  expect_equal(logistic{}, classes.csr().view(), with_bias());
}
TEST_P(one_process, equals_serial_hinge) {
  expect_equal(hinge_svm{}, classes.csr().view(), options());
}
TEST_P(one_process, equals_serial_least_squares) {
  expect_equal(least_squares{}, numbers.csr().view(), with_bias());
}
TEST_P(one_process, equals_serial_huber) {
  expect_equal(huber{.delta = 0.5f}, numbers.csr().view(), options());
}
TEST_P(one_process, equals_serial_softmax) {
  expect_equal(softmax{.features = several.columns, .classes = 4}, several.csr().view(), options());
}

INSTANTIATE_TEST_SUITE_P(every, one_process, testing::ValuesIn(all_kinds()));

TEST(one_process_more, equals_serial_with_l1_and_by_ftrl) {
  const toy_rows rows = test::planted_classification({.rows = 500});
  for (const auto kind : {optimizer_kind::sgd, optimizer_kind::adagrad, optimizer_kind::ftrl}) {
    train_options options{.epochs = 3, .step = {.initial = 0.2}};
    options.l1 = 0.01, options.l2 = 0.01, options.optimizer = kind;
    expect_equal(logistic{}, rows.csr().view(), options);
  }
}

TEST(one_process_more, equals_serial_where_an_epoch_has_several_parts) {
  // step * l2 * n = 25, so that the scale of the weights is folded in within each epoch.
  const toy_rows rows = test::planted_classification({.rows = 500});
  expect_equal(logistic{}, rows.csr().view(), {.epochs = 3, .step = {.initial = 0.5, .decay = 1.0}, .l2 = 0.1});
}

TEST(one_process_more, equals_serial_where_rows_have_weights_and_offsets) {
  const toy_rows rows = test::planted_classification({.rows = 400});
  const std::vector<float> weights = test::numbers_in_turn(400, {3.0f, 0.0f, 1.0f, 0.25f, 2.0f});
  const std::vector<float> offsets = test::numbers_in_turn(400, {1.0f, -0.5f, 0.0f});
  csr_rows data = rows.csr();
  data.set_weights(weights);
  data.set_offsets(offsets);
  sparse_dataset mapped = sparse_dataset::copy_of(rows.csr().view());
  mapped.set_weights(weights);
  mapped.set_offsets(offsets);
  for (const optimizer_kind kind : {optimizer_kind::sgd, optimizer_kind::adagrad, optimizer_kind::momentum}) {
    train_options o{.epochs = 3, .step = {.initial = 0.1}, .optimizer = kind, .weight_positive = 1.5};
    expect_equal(logistic{}, data.view(), o);
    o.validation_fraction = 0.25;
    expect_equal(logistic{}, mapped.view(), o);
  }
}

TEST(one_process_more, equals_serial_in_the_orders_of_the_papers) {
  const toy_rows rows = test::planted_classification({.rows = 300});
  for (const auto order : {row_order::permuted, row_order::replacement}) {
    expect_equal(hinge_svm{}, rows.csr().view(), {.epochs = 2, .step = {.initial = 0.1, .decay = 1.0}, .order = order});
  }
}

TEST(one_process_more, equals_serial_on_a_part_of_a_cached_dataset) {
  // The columns' counts that l2 needs under adagrad are those of the rows that are trained on, not of the file.
  const toy_rows rows = test::planted_classification({.rows = 400});
  const sparse_dataset data = sparse_dataset::copy_of(rows.csr().view());
  expect_equal(logistic{}, data.view(),
               {.epochs = 3,
                .step = {.initial = 0.1, .decay = 1.0},
                .l2 = 0.01,
                .optimizer = optimizer_kind::adagrad,
                .validation_fraction = 0.25,
                .patience = 10});
}

struct several_processes : testing::TestWithParam<std::size_t> {};

TEST_P(several_processes, end_near_the_serial_loss) {
  const toy_rows rows = test::planted_classification({.rows = 20000, .columns = 200, .per_row = 20});
  const csr_rows data = rows.csr();
  for (const auto update : {update_kind::lossy, update_kind::exact, update_kind::locked}) {
    for (const auto shards : {sharding::claimed, sharding::fixed}) {
      const train_options options{.epochs = 10,
                                  .step = {.initial = 0.2, .decay = 0.7},
                                  .update = update,
                                  .sharing = sharing_kind::direct,
                                  .shards = shards};
      const double serial = train(logistic{}, data, serial_engine{}, options).train_loss;
      const train_result run = train(logistic{}, data, process_engine{.workers = GetParam()}, options);
      EXPECT_NEAR(run.train_loss, serial, 0.01 * serial);
      EXPECT_EQ(run.examples, 10u * 20000u);
      EXPECT_EQ(run.workers, GetParam());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(two_and_four, several_processes, testing::Values(2u, 4u));

TEST(timing_laws, hold_for_processes) {
  const toy_rows toy = test::some_rows(100);
  test::expect_timing_laws("processes", 0.0, [&](train_options options) {
    options.sharing = sharing_kind::direct;
    return train(logistic{}, toy.csr(), process_engine{.workers = 2}, options);
  });
}

/// A row takes some CPU time of its worker.
struct busy_margins : logistic {
  static constexpr std::string_view name = "busy_margins";
  static constexpr auto of_a_row = std::chrono::microseconds(200);
  float derivative(float margin, float label) const {
    const auto end = thread_cpu_time() + of_a_row;
    while (thread_cpu_time() < end) {
    }
    return logistic::derivative(margin, label);
  }
};

/// The CPU time includes that of all rows, on any worker, and is at most that of all CPUs.
template <class Engine>
void expect_cpu_seconds_of(const std::string& name, const Engine& engine) {
  SCOPED_TRACE(name);
  constexpr std::size_t rows = 100, epochs = 3;
  const toy_rows toy = test::planted_classification({.rows = rows, .columns = 20});
  train_options options{.epochs = epochs, .step = {.initial = 0.1f}};
  const train_result r = train(busy_margins{}, toy.csr(), engine, options);
  EXPECT_GE(r.cpu_seconds, rows * epochs * 200e-6);
  // The wall clock is read a little before the CPUs' time.
  EXPECT_LE(r.cpu_seconds,
            (r.wall_seconds + 0.1) * static_cast<double>(std::max(1u, std::thread::hardware_concurrency())));
}

TEST(cpu_seconds, are_those_of_all_workers) {
  expect_cpu_seconds_of("serial", serial_engine{});
  expect_cpu_seconds_of("threads", thread_engine{.workers = 2});
  expect_cpu_seconds_of("processes", process_engine{.workers = 2});
  expect_cpu_seconds_of("all_reduce by threads", sync_engine{.workers = 2, .rows = 8});
  expect_cpu_seconds_of("all_reduce by processes",
                        sync_engine{.workers = 2, .rows = 8, .transport = transport_kind::shared_segment});
}

}  // namespace
}  // namespace hogwild

const hogwild::test::program_role one_process_role(
    hogwild::test::worker_role<hogwild::logistic, hogwild::hinge_svm, hogwild::least_squares, hogwild::huber,
                               hogwild::softmax, hogwild::busy_margins>);
