// SPDX-License-Identifier: Apache-2.0
// Once a run was asked to stop, from outside or by an observer, no engine reports another epoch, and the result counts
// the reported ones. Every engine reports rounds.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ostream>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/engines.hpp>

#include "ring_run.hpp"
#include "support/program_role.hpp"

namespace hogwild {
namespace {

using test::slow_at_work;
using testing::ElementsAre;

struct told final : observer {
  observer_answer on_epoch(const epoch_report& e) override {
    epochs.push_back(e.epoch);
    if (e.epoch == last) stop.request_stop();
    return observer_answer::go_on;
  }
  void on_finish(const train_result&) override { ++finished; }
  std::size_t last = 0;
  std::stop_source stop;
  std::vector<std::size_t> epochs;
  int finished = 0;
};

using way = std::function<train_result(const train_options&)>;

template <class Engine>
way with(const Engine& engine, sharing_kind sharing = sharing_kind::automatic, bool reproducible = false) {
  return [=](train_options options) {
    options.sharing = sharing;
    options.reproducible = reproducible;
    return train(slow_at_work{}, test::some_rows(500).csr(), engine, options);
  };
}

const thread_engine threads{.workers = 2, .team = thread_team_kind::std, .pin = false};
constexpr sync_rule gradients = sync_rule::gradients, average = sync_rule::average;
constexpr transport_kind segment = transport_kind::shared_segment;

struct engine_case {
  std::string name;
  way run;
  friend std::ostream& operator<<(std::ostream& to, const engine_case& tried) { return to << tried.name; }
};

const std::vector<engine_case> every_engine{
    {"serial", with(serial_engine{})},
    {"threads", with(threads, sharing_kind::direct)},
    {"replicas", with(threads, sharing_kind::buffered)},
    {"reproducible", with(threads, sharing_kind::automatic, true)},
    {"processes", with(process_engine{.workers = 2, .pin = false}, sharing_kind::direct)},
    {"ring_of_threads", with(ring_engine{.workers = 2, .replicas = 2, .team = thread_team_kind::std, .pin = false})},
    {"ring_of_processes", with(test::ring_size{2, 2}.engine())},
    {"all_reduce", with(sync_engine{.workers = 2, .rule = gradients, .pin = false})},
    {"local_sgd", with(sync_engine{.workers = 2, .rule = average, .pin = false})},
    {"local_sgd_of_processes", with(sync_engine{.workers = 2, .rule = average, .transport = segment, .pin = false})},
};

struct stopped_run : testing::TestWithParam<engine_case> {
  told heard;
  train_options options{.epochs = 1'000'000,
                        .step = {.initial = 0.1, .decay = 1.0},
                        .observers = {&heard},
                        .stop = heard.stop.get_token()};
};

TEST_P(stopped_run, tells_of_no_epoch_after_the_request) {
  heard.last = 3;
  const train_result run = GetParam().run(options);
  EXPECT_EQ(run.status, run_status::stopped);
  EXPECT_EQ(run.epochs, 3u);
  EXPECT_THAT(heard.epochs, ElementsAre(1, 2, 3));
  EXPECT_EQ(heard.finished, 1);
}

TEST_P(stopped_run, counts_the_epochs_that_it_told_of) {
  std::atomic<bool> begun = false;
  options.observers.push_back([&](const epoch_report&) { begun = true; });
  const std::jthread asks([&] {
    EXPECT_TRUE(test::eventually(std::chrono::minutes(1), [&] { return begun.load(); }));
    heard.stop.request_stop();
  });
  const train_result run = GetParam().run(options);
  EXPECT_EQ(run.status, run_status::stopped);
  EXPECT_GT(run.epochs, 0u);
  EXPECT_EQ(run.epochs, heard.epochs.size());
  EXPECT_GE(run.examples, 500 * run.epochs);
}

TEST_P(stopped_run, ends_by_the_answer_of_an_observer) {
  options.stop = {};
  options.observers.push_back(
      [](const epoch_report& e) { return e.epoch == 2 ? observer_answer::stop : observer_answer::go_on; });
  const train_result run = GetParam().run(options);
  EXPECT_EQ(run.status, run_status::stopped);
  EXPECT_EQ(run.stopped_by, stop_cause::observer);
  EXPECT_THAT(heard.epochs, ElementsAre(1, 2));
  EXPECT_EQ(heard.finished, 1);
}

TEST_P(stopped_run, tells_of_rounds_and_ends_with_one) {
  std::vector<std::size_t> rounds;
  std::vector<float> last;
  std::uint64_t rows = 0;
  options.rounds = 3;
  options.observers.push_back([&](const round_report& r) {
    rounds.push_back(10 * r.epoch + r.round);
    last = r.parameters();
    rows = r.examples;
    return rounds.size() == 5 ? observer_answer::stop : observer_answer::go_on;
  });
  const train_result run = GetParam().run(options);
  EXPECT_EQ(run.status, run_status::stopped);
  EXPECT_EQ(run.stopped_by, stop_cause::observer);
  EXPECT_THAT(heard.epochs, ElementsAre(1));
  EXPECT_THAT(rounds, ElementsAre(11, 12, 13, 21, 22));
  EXPECT_EQ(run.parameters, last);
  EXPECT_EQ(run.examples, rows);
  EXPECT_GT(rows, 500u);
  EXPECT_LT(rows, 1'000u);
}

INSTANTIATE_TEST_SUITE_P(every, stopped_run, testing::ValuesIn(every_engine),
                         [](const auto& tried) { return tried.param.name; });

}  // namespace
}  // namespace hogwild

const hogwild::test::program_role stop_told_role(hogwild::test::ring_role<hogwild::test::slow_at_work>);
