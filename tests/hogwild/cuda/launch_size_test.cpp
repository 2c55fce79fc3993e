// SPDX-License-Identifier: Apache-2.0
// How many rows a launch gets follows the time that launches take; a run that is asked to stop does so soon.
#include "launch_size.hpp"

#include <chrono>
#include <cmath>
#include <cstddef>
#include <mutex>
#include <random>
#include <stop_token>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include <hogwild/cuda/engine.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/train.hpp>

#include "support/toy_data.hpp"

using namespace hogwild;
using device::launch_size;

namespace {

constexpr std::size_t most_rows_of_one = 65'536;

/// Launches of rows that take `each` seconds.
void launches(launch_size& size, int n, double each) {
  for (int i = 0; i < n; ++i) size.took(size.rows(), launch_size::seconds(each * static_cast<double>(size.rows())));
}

TEST(launch_size, follows_the_time_of_a_row) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> exponent(-6.0, -3.0);
  launch_size size(most_rows_of_one);
  for (int i = 0; i < 50; ++i) {
    const double each = std::pow(10.0, exponent(random));
    launches(size, 20, each);  // 2^16 rows are 16 launches from one
    EXPECT_NEAR(static_cast<double>(size.rows()), launch_size::span.count() / each, 1.0 + 1e-6 / each);
  }
}

TEST(launch_size, shrinks_at_once_and_grows_step_by_step) {
  launch_size size(most_rows_of_one);
  launches(size, 20, 1e-9);
  EXPECT_EQ(size.rows(), most_rows_of_one);
  launches(size, 1, 1e-3);
  EXPECT_EQ(size.rows(), 20u);
  launches(size, 1, 1e-9);
  EXPECT_EQ(size.rows(), 40u);
  launches(size, 1, 10.0);
  EXPECT_EQ(size.rows(), launch_size::least_rows);
}

TEST(launch_size, a_chunk_that_ends_early_does_not_shrink_the_next_launch) {
  launch_size size(most_rows_of_one);
  launches(size, 20, 1e-6);
  const std::size_t before = size.rows();
  size.took(10, launch_size::seconds(10e-6));
  EXPECT_NEAR(static_cast<double>(size.rows()), static_cast<double>(before), 1.0);
}

/// A row takes 10 milliseconds or more, on any number of a device's threads; planning the run does not wait. One of
/// them asks the run to stop.
struct waits_for_each_row : logistic {
  static constexpr std::size_t asks = 40;
  static inline std::thread::id planner;
  static inline std::size_t trained = 0;
  static inline std::stop_source stop;
  float derivative(float margin, float label) const {
    if (std::this_thread::get_id() != planner) {
      static std::mutex one_by_one;
      const std::lock_guard lock(one_by_one);
      if (++trained == asks) stop.request_stop();
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return logistic::derivative(margin, label);
  }
};

TEST(launch_size, a_run_of_slow_rows_stops_soon) {
  const test::toy_rows rows = test::planted_classification({.rows = 60'000, .columns = 20, .per_row = 1, .seed = 4});
  waits_for_each_row::planner = std::this_thread::get_id();
  waits_for_each_row::trained = 0;
  waits_for_each_row::stop = {};
  const train_result r = train(waits_for_each_row{}, rows.csr(), cuda_engine{.device = emulated_device},
                               {.epochs = 1, .step = {.initial = 0.1}, .stop = waits_for_each_row::stop.get_token()});
  EXPECT_EQ(r.status, run_status::stopped);
  // Two launches are under way at most, each of a few rows: 60,000 would take ten minutes.
  EXPECT_GE(waits_for_each_row::trained, waits_for_each_row::asks);
  EXPECT_LE(waits_for_each_row::trained, waits_for_each_row::asks + 2 * launch_size::first_rows);
}

}  // namespace
