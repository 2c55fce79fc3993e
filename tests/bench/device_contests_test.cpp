// SPDX-License-Identifier: Apache-2.0
// Reports of runs in comparison: which are timed, which failed, which broke.
#include "contests.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/cuda/engine.hpp>
#include <hogwild/error.hpp>

#include "kernel_rates.hpp"

using namespace hogwild;
using namespace hogwild::bench;

namespace {

constexpr workload_sizes small{.rows = 1000, .ratings = 2000, .factors = 8, .words = 2000, .dimension = 8, .epochs = 4};

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

// There are a hundred topics, and half of a sentence belongs to its topic.
TEST(device_contests, sentences_have_a_topic_and_popular_words) {
  const workload work = make_workload("words", {.words = 40'000, .dimension = 8, .epochs = 1});
  ASSERT_EQ(work.rows.label.size(), 2000u);
  std::vector<std::size_t> said(work.rows.columns);
  std::size_t same = 0;
  for (std::size_t r = 0; r < 2000; ++r) {
    const auto words = std::span(work.rows.index).subspan(work.rows.row_start[r], 20);
    std::vector<std::size_t> topics(100);
    for (const std::uint32_t word : words) ++said[word], ++topics[word % 100];
    same += std::ranges::max(topics);
  }
  EXPECT_GT(same, 2000u * 10);
  EXPECT_GT(said[0], said[10]);
  EXPECT_GT(said[10], said[500]);
}

TEST(device_contests, a_task_of_each_kind_is_trained_by_a_device_and_measured) {
  for (const std::string_view name : workload_names) {
    const workload work = make_workload(name, small);
    const reference by = train_reference(work, 10.0, {});
    const contest outcome = train_contestant(work, {.name = "device", .device = true}, emulated_device, by, 10.0, {});
    EXPECT_EQ(outcome.state, "measured") << name << ": " << outcome.reason;
    const auto device = device::open_emulated(1);
    EXPECT_GT(kernel_rows_per_second(*device, work, by.result.parameters, by.result.labels, {}, 2, 1e-4), 0.0);
    const auto bound = bound_of(work, {.copied_bytes = 1e12, .scattered_adds_lossy = 1e9, .row_seconds = 1e-6}, {}, 10);
    EXPECT_EQ(bound.has_value(), name != "words");
  }
}

TEST(device_contests, the_cpu_meets_the_device_alone_and_beside_workers) {
  std::vector<std::string> names;
  const workload work = make_workload("logistic", small);
  for (const contestant& who : contestants(work, 4)) {
    names.push_back(who.name);
    EXPECT_EQ(who.workers, who.name == "cpu" ? 4u : who.name.starts_with("hybrid") ? 3u : 0u);
  }
  EXPECT_THAT(names, testing::ElementsAre("cpu", "device, lossy", "hybrid, lossy", "device, exact", "hybrid, exact"));
  EXPECT_EQ(contestants(work, 1)[2].workers, 1u);
}

TEST(device_contests, ratings_are_trained_in_half_storage_too) {
  const workload work = make_workload("ratings", small);
  const std::vector<contestant> all = contestants(work, 4);
  const auto half = std::ranges::find(all, storage_kind::half, [](const contestant& who) { return who.way.storage; });
  ASSERT_NE(half, all.end());
  const reference by = train_reference(work, 10.0, {});
  const contest outcome = train_contestant(work, *half, emulated_device, by, 10.0, {});
  EXPECT_EQ(outcome.state, "measured") << outcome.reason;
  ASSERT_EQ(outcome.result.devices.size(), 1u);
  EXPECT_EQ(outcome.result.devices[0].storage, "half");
  const auto device = device::open_emulated(1);
  EXPECT_GT(kernel_rows_per_second(*device, work, by.result.parameters, by.result.labels, half->way, 2, 1e-4), 0.0);
}

TEST(device_contests, a_run_in_the_band_is_timed_to_the_target) {
  const workload work = make_workload("logistic", small);
  const reference by = train_reference(work, 0.1, {});
  EXPECT_DOUBLE_EQ(by.target, 1.1 * by.objective);
  EXPECT_EQ(by.result.epochs, small.epochs);
  // So few rows say nothing about quality: the test is about the report.
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
