// SPDX-License-Identifier: Apache-2.0
// Seconds mean the same in every engine of one process; tests/process has those of several.
#include <chrono>
#include <string_view>
#include <thread>

#include <gtest/gtest.h>

#include <hogwild/engines.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/train.hpp>

#include "support/timing_laws.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;

namespace {

/// A row takes some time.
struct slow_margins : logistic {
  static constexpr std::string_view name = "slow_margins";
  static constexpr auto of_a_row = std::chrono::microseconds(20);
  float derivative(float margin, float label) const {
    std::this_thread::sleep_for(of_a_row);
    return logistic::derivative(margin, label);
  }
};

template <class Engine>
void expect_laws_of(const std::string& name, std::size_t workers, const Engine& engine, sharing_kind sharing) {
  constexpr std::size_t rows = 100;
  const test::toy_rows toy = test::planted_classification({.rows = rows, .columns = 20});
  const double least = static_cast<double>(rows / workers) * 20e-6;
  test::expect_timing_laws(name, least, [&](train_options options) {
    options.sharing = sharing;
    return train(slow_margins{}, toy.csr(), engine, options);
  });
}

TEST(timing_laws, hold_for_every_engine_of_one_process) {
  expect_laws_of("serial", 1, serial_engine{}, sharing_kind::automatic);
  for (const thread_team_kind team : {thread_team_kind::openmp, thread_team_kind::tbb, thread_team_kind::std})
    expect_laws_of("threads", 2, thread_engine{.workers = 2, .team = team}, sharing_kind::direct);
  expect_laws_of("all_reduce", 2, sync_engine{.workers = 2, .rows = 8}, sharing_kind::automatic);
  expect_laws_of("local_sgd", 2, sync_engine{.workers = 2, .rule = sync_rule::average}, sharing_kind::automatic);
}

}  // namespace
