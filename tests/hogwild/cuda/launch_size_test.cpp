// SPDX-License-Identifier: Apache-2.0
// How many rows a launch gets follows the time that launches take; a run that is asked to stop does so soon.
#include "launch_size.hpp"

#include <atomic>
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

/// A row takes 10 milliseconds or more, on any number of a device's threads; planning the run does not wait.
struct waits_for_each_row : logistic {
  static inline std::thread::id planner;
  static inline std::atomic<bool> began;
  float derivative(float margin, float label) const {
    if (std::this_thread::get_id() != planner) {
      static std::mutex one_by_one;
      const std::lock_guard lock(one_by_one);
      began = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return logistic::derivative(margin, label);
  }
};

TEST(launch_size, a_run_of_slow_rows_stops_soon) {
  const test::toy_rows rows = test::planted_classification({.rows = 60'000, .columns = 20, .per_row = 1, .seed = 4});
  waits_for_each_row::planner = std::this_thread::get_id();
  waits_for_each_row::began = false;
  std::stop_source stop;
  std::chrono::steady_clock::time_point asked;
  std::jthread asks([&](const std::stop_token& over) {
    while (!waits_for_each_row::began && !over.stop_requested())
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    asked = std::chrono::steady_clock::now();
    stop.request_stop();
  });
  const train_result r = train(waits_for_each_row{}, rows.csr(), cuda_engine{.device = emulated_device},
                               {.epochs = 1, .step = {.initial = 0.1}, .stop = stop.get_token()});
  const auto ended = std::chrono::steady_clock::now();
  asks.request_stop();
  asks.join();
  EXPECT_EQ(r.status, run_status::stopped);
  EXPECT_LT(ended - asked, std::chrono::seconds(60));  // its epoch takes ten minutes
}

}  // namespace
