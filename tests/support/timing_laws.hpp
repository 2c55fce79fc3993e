// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/observer.hpp>
#include <hogwild/options.hpp>
#include <hogwild/result.hpp>

#include "support/scratch_folder.hpp"

// The meaning of the seconds in results, for every engine. The run naps where time must count, or must not. All bounds
// are lower bounds, which hold on busy machines, too.

namespace hogwild::test {

inline constexpr auto nap = std::chrono::milliseconds(5);
inline constexpr double nap_seconds = 0.005;

/// Keeps the reports, and naps at each.
struct slow_observer final : observer {
  void on_start(const run_start&) override { std::this_thread::sleep_for(nap); }
  observer_answer on_epoch(const epoch_report& e) override {
    epochs.push_back(e);
    std::this_thread::sleep_for(nap);
    return observer_answer::go_on;
  }
  std::vector<epoch_report> epochs;
};

/// Checks that seconds only grow, and that train_seconds has only training. `before` is the report in the checkpoint.
inline void expect_cumulative(const slow_observer& seen, const train_result& r, const epoch_report& before) {
  epoch_report last = before;
  double not_training = 0.0;
  for (const epoch_report& e : seen.epochs) {
    not_training += nap_seconds;  // at the start, then after the previous epoch
    EXPECT_GT(e.train_seconds, last.train_seconds);
    EXPECT_GE(e.wall_seconds - before.wall_seconds, e.train_seconds - before.train_seconds + not_training);
    last = e;
  }
  EXPECT_EQ(r.train_seconds, last.train_seconds);
  EXPECT_GE(r.wall_seconds, last.wall_seconds + nap_seconds);
}

/// `train(options)` runs the engine to test, on a model whose epoch takes `least` seconds at least.
inline void expect_timing_laws(const std::string& engine, double least,
                               const std::function<train_result(const train_options&)>& train) {
  SCOPED_TRACE(engine);
  const scratch_folder folder;
  // The step is searched for: each trial begins with a nap, and so does the run.
  slow_observer seen;
  train_options options{.epochs = 3, .checkpoint = (folder / "checkpoint").string(), .observers = {&seen}};
  options.initial = [](std::span<float>) { std::this_thread::sleep_for(nap); };
  const train_result first = train(options);
  ASSERT_EQ(seen.epochs.size(), 3u);
  EXPECT_GE(first.search_seconds, 2 * nap_seconds);
  EXPECT_GE(first.wall_seconds, first.train_seconds + first.search_seconds + 5 * nap_seconds);
  EXPECT_GE(first.train_seconds, 3 * least);
  EXPECT_GE(seen.epochs[0].wall_seconds, seen.epochs[0].train_seconds + first.search_seconds);
  expect_cumulative(seen, first, {});
  EXPECT_LE(first.meetings.value_or(meeting_report{}).seconds, first.train_seconds);

  // The resumed run goes on from these seconds, and ends after one epoch, because every epoch reaches its target.
  slow_observer later;
  options.epochs = 5;
  options.step = {.initial = first.step, .decay = first.decay};
  options.resume = options.checkpoint;
  options.observers = {&later};
  options.target = target_option{"train_loss", 1e9};
  const train_result resumed = train(options);
  ASSERT_EQ(later.epochs.size(), 1u);
  expect_cumulative(later, resumed, seen.epochs.back());
  EXPECT_GE(resumed.train_seconds, 4 * least);
  ASSERT_TRUE(resumed.seconds_to_target);
  EXPECT_EQ(*resumed.seconds_to_target, resumed.train_seconds);
}

}  // namespace hogwild::test
