// SPDX-License-Identifier: Apache-2.0
// Worker processes train on rows of their supervisor's program as its threads do: they map the dataset that rows_from()
// has made, or a copy of borrowed rows.
#include <gtest/gtest.h>

#include <hogwild/rows.hpp>

#include "process_run.hpp"
#include "support/dense_data.hpp"
#include "support/program_role.hpp"

namespace hogwild {
namespace {

void expect_as_by_threads(const sparse_view& rows, train_options options) {
  EXPECT_EQ(train(logistic{}, rows, process_engine{.workers = 1}, options).parameters,
            train(logistic{}, rows, serial_engine{}, options).parameters);
  options.reproducible = true;
  const thread_engine threads{.workers = 2, .team = thread_team_kind::std, .pin = false};
  const train_result by_processes = train(logistic{}, rows, process_engine{.workers = 2}, options);
  EXPECT_EQ(by_processes.parameters, train(logistic{}, rows, threads, options).parameters);
  EXPECT_EQ(by_processes.status, run_status::done);
}

const train_options as_usual{.epochs = 3, .step = {.initial = 0.05}, .l2 = 1e-4, .bias = true};

TEST(own_rows_of_processes, are_mapped_where_they_are_a_dataset) {
  const test::toy_rows rows = test::some_rows(400);
  const std::vector<float> weight = test::noise_vector(400, 3, 0.5, 2.0);
  const std::vector<std::int64_t> index(rows.index.begin(), rows.index.end());
  csr_arrays arrays{.row_start = rows.row_start, .index = index, .value = rows.value, .label = rows.label};
  arrays.weight = weight;
  expect_as_by_threads(rows_from(arrays).view(), as_usual);
}

TEST(own_rows_of_processes, are_copied_where_they_are_borrowed) {
  const test::toy_rows rows = test::some_rows(400);
  const std::vector<std::int32_t> start(rows.row_start.begin(), rows.row_start.end());
  const std::vector<std::int32_t> index(rows.index.begin(), rows.index.end());
  expect_as_by_threads(csr_rows(start, index, rows.value, rows.label, rows.columns).view(), as_usual);
}

TEST(own_rows_of_processes, are_copied_as_sparse_ones_where_they_are_dense) {
  const test::dense_data data = test::dense_classes(300, 20);
  const dense_rows rows = data.dense();
  expect_as_by_threads(rows.view(), as_usual);
}

}  // namespace
}  // namespace hogwild

const hogwild::test::program_role own_rows_role(hogwild::test::worker_role<hogwild::logistic>);
