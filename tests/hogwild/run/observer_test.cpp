// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include <hogwild/detail/run/epoch_loop.hpp>
#include <hogwild/hogwild.hpp>
#include <hogwild/models/logistic.hpp>

#include "support/planned_task.hpp"
#include "support/toy_data.hpp"

namespace hogwild {
namespace {

struct diary final : observer {
  std::string calls;
  bool fails = false;
  void on_start(const run_start&) override { calls += "start "; }
  observer_answer on_epoch(const epoch_report&) override {
    calls += "epoch ";
    if (fails) throw std::runtime_error("enough");
    return observer_answer::go_on;
  }
  void on_finish(const train_result&) override { calls += "finish"; }
  void on_failure() override { calls += "failure"; }
};

class observers : public testing::Test {
 protected:
  std::vector<std::uint64_t> row_start = {0, 1, 2};
  std::vector<std::uint32_t> index = {0, 1};
  std::vector<float> value = {1.0f, 1.0f}, label = {1.0f, -1.0f};
  const csr_rows rows{row_start, index, value, label, 2};
  diary told;
};

TEST_F(observers, are_told_in_order) {
  train(logistic{}, rows, serial_engine{}, {.epochs = 2, .step = {.initial = 1.0}, .observers = {&told}});
  EXPECT_EQ(told.calls, "start epoch epoch finish");
}

TEST_F(observers, are_told_of_a_run_that_ends_with_an_exception) {
  told.fails = true;
  EXPECT_THROW(train(logistic{}, rows, serial_engine{}, {.epochs = 2, .step = {.initial = 1.0}, .observers = {&told}}),
               std::runtime_error);
  EXPECT_EQ(told.calls, "start epoch failure");
}

struct last_epoch final : observer {
  observer_answer on_epoch(const epoch_report& e) override {
    report = e;
    return observer_answer::go_on;
  }
  epoch_report report;
};

TEST(telemetry, tells_how_stale_replicas_were_that_exchange_once_or_twice_an_epoch) {
  const auto toy = test::planted_classification({.rows = 1000, .columns = 30});
  const csr_rows data = toy.csr();
  last_epoch seen;
  resolved_run run{.options = {.epochs = 2, .l2 = 0.01, .observers = {&seen}},
                   .schedule = {schedule_kind::geometric, 0.1, 1.0},
                   .l2 = 0.01};
  test::planned_task work =
      make_task(logistic{}, data.view(), label_map::learn(label_kind::binary, data.view().label, "toy"),
                {.isa = choose_isa(isa::automatic), .l2 = 0.01});
  // The second worker begins half a period in: either it trains 256 rows, or the first one trains 512.
  work.set_sharing(access_kind::buffered, {.rows = 512, .curvature = 1e-4, .workers = 2});
  const auto started =
      start(thread_engine{.workers = 2, .team = thread_team_kind::std, .pin = false}, *work, work.plan, {});
  work.train(*started, run);
  EXPECT_TRUE(seen.report.staleness_p50 && seen.report.staleness_p99 && seen.report.conflict_rate);
}

}  // namespace
}  // namespace hogwild
