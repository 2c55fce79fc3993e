// SPDX-License-Identifier: Apache-2.0
// What is told of runs beside each other: who is timed, who failed, who broke.
#include "contests.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/cuda/engine.hpp>
#include <hogwild/error.hpp>

using namespace hogwild;
using namespace hogwild::bench;

namespace {

constexpr workload_sizes small{.rows = 1000, .ratings = 2000, .factors = 8, .epochs = 4};

TEST(device_contests, workloads_are_the_same_every_time) {
  for (const std::string_view name : workload_names) {
    const workload one = make_workload(name, small), other = make_workload(name, small);
    EXPECT_EQ(one.name, name);
    EXPECT_EQ(one.rows.index, other.rows.index);
    EXPECT_EQ(one.rows.value, other.rows.value);
    EXPECT_EQ(one.rows.label, other.rows.label);
    EXPECT_EQ(one.degree.size(), one.rows.columns);
    EXPECT_EQ(one.options.epochs, small.epochs);
  }
  EXPECT_THROW(make_workload("images", small), config_error);
}

TEST(device_contests, classes_are_all_there) {
  const workload work = make_workload("softmax", small);
  EXPECT_EQ(std::set<double>(work.rows.label.begin(), work.rows.label.end()).size(),
            std::get<softmax>(work.model).classes);
}

TEST(device_contests, the_cpu_meets_the_device_alone_and_beside_workers) {
  std::vector<std::string> names;
  for (const contestant& who : contestants(4)) {
    names.push_back(who.name);
    EXPECT_EQ(who.workers, who.name == "cpu" ? 4u : who.name.starts_with("hybrid") ? 3u : 0u);
  }
  EXPECT_THAT(names, testing::ElementsAre("cpu", "device, lossy", "hybrid, lossy", "device, exact", "hybrid, exact"));
  EXPECT_EQ(contestants(1)[2].workers, 1u);
}

TEST(device_contests, a_run_in_the_band_is_timed_to_the_target) {
  const workload work = make_workload("logistic", small);
  const reference by = train_reference(work, 0.1, {});
  EXPECT_DOUBLE_EQ(by.target, 1.1 * by.objective);
  EXPECT_EQ(by.result.epochs, small.epochs);
  // So few rows say nothing about quality: what is tried is what is told of it.
  const contest outcome = train_contestant(work, {.name = "device", .device = true}, emulated_device, by, 10.0, {});
  EXPECT_EQ(outcome.state, "measured");
  EXPECT_NEAR(outcome.gap, outcome.result.objective / by.objective - 1.0, 1e-12);
  ASSERT_EQ(outcome.result.devices.size(), 1u);
  EXPECT_GT(outcome.rows_per_second, 0.0);
  // One worker's objectives are the same every time, and fall.
  const auto to = [&](double target) {
    reference other = by;
    other.target = target;
    return train_contestant(work, {.name = "cpu", .workers = 1}, emulated_device, other, 10.0, {});
  };
  const contest at_once = to(1e9);
  ASSERT_TRUE(at_once.seconds_to_target.has_value());
  EXPECT_LT(*at_once.seconds_to_target, at_once.result.train_seconds) << "the first of four epochs is at that target";
  const double last = at_once.result.objective;
  EXPECT_TRUE(to(last).seconds_to_target.has_value());
  EXPECT_FALSE(to(0.999 * last).seconds_to_target.has_value());
}

TEST(device_contests, a_run_outside_the_band_has_failed) {
  const workload work = make_workload("ratings", small);
  reference by = train_reference(work, 0.01, {});
  by.objective *= 0.5;
  const contest outcome = train_contestant(work, {.name = "device", .device = true}, emulated_device, by, 0.2, {});
  EXPECT_EQ(outcome.state, "failed");
  EXPECT_NE(outcome.reason, "");
  by.objective = std::nan("");
  EXPECT_EQ(train_contestant(work, {.name = "cpu", .workers = 1}, emulated_device, by, 0.2, {}).state, "failed");
}

TEST(device_contests, a_run_that_ends_with_an_error_is_broken_and_tells_why) {
  const workload work = make_workload("logistic", small);
  const contest outcome =
      train_contestant(work, {.name = "device", .device = true}, 1 << 16, train_reference(work, 0.01, {}), 0.1, {});
  EXPECT_EQ(outcome.state, "broken");
  EXPECT_NE(outcome.reason, "");
}

TEST(device_contests, who_is_asked_to_stop_leaves) {
  const workload work = make_workload("logistic", small);
  std::stop_source stop;
  stop.request_stop();
  try {
    train_reference(work, 0.01, stop.get_token());
    FAIL() << "it went on";
  } catch (const error& e) {
    EXPECT_EQ(e.code(), exit_code::interrupted);
  }
}

}  // namespace
