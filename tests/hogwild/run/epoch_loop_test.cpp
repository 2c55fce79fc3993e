// SPDX-License-Identifier: Apache-2.0
// A run in which no worker trains does not end as if it had trained.
#include <hogwild/detail/run/resolved_run.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/run/rounds.hpp>
#include <hogwild/error.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/poisson.hpp>
#include <hogwild/train.hpp>

#include "support/heard_run.hpp"
#include "support/planned_task.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;
using testing::Contains;
using testing::HasSubstr;
using testing::ThrowsMessage;

namespace {

/// One worker, in this thread, which trains for so many rounds; from then on something else happens.
class failing_run final : public engine_run {
 public:
  using event = std::function<void(const param_store&)>;
  failing_run(const test::planned_task& work, int rounds, event then)
      : work_(work), rounds_(rounds), then_(std::move(then)), store_(param_store::in_memory(work.shape(1))) {
    store_.slots()[0].state = worker_state::active;
  }

  std::string_view engine() const override { return "tired"; }
  std::size_t workers() const override { return 1; }
  const param_store& store() const override { return store_; }
  thread_team& helpers() override { return *helpers_; }
  void run_round() override {
    if (rounds_-- > 0) return work_->work({work_.plan, store_, 0, memory_, nullptr});
    then_(store_);
  }

 private:
  const test::planned_task& work_;
  int rounds_;
  event then_;
  param_store store_;
  worker_memory memory_;
  std::unique_ptr<thread_team> helpers_ = thread_team::make(thread_team_kind::std, 1, false);
};

struct nobody_trains : testing::Test {
  test::kept_rows data = test::planted_regression({.rows = 100});
  test::planned_task work = make_task(least_squares{}, data.view(), label_map{}, {});
  test::heard_run seen;
  std::stop_source stop;

  train_result run(int rounds, failing_run::event then) {
    failing_run started(work, rounds, std::move(then));
    resolved_run options{.options = {.epochs = 5, .observers = {&seen}, .stop = stop.get_token()},
                         .schedule = {schedule_kind::constant, 0.01, 0.0}};
    return work.train(started, options);
  }
};

TEST_F(nobody_trains, ends_the_run_with_an_error_though_all_tickets_are_marked_as_done) {
  EXPECT_THAT([&] { run(2, [&](const param_store& store) { close_round(store, work.plan.chunks); }); },
              ThrowsMessage<worker_error>(HasSubstr("no worker has trained a row in epoch 3")));
  EXPECT_EQ(seen.epochs.size(), 2u);
}

TEST_F(nobody_trains, ends_the_run_with_an_error_where_a_worker_took_the_coordinator_for_dead) {
  const auto orphan = [](const param_store& store) { store.control().stop = stop_request::orphaned; };
  EXPECT_THAT([&] { run(1, orphan); },
              ThrowsMessage<worker_error>(HasSubstr("took this process, which supervises the run, for dead")));
  EXPECT_EQ(seen.epochs.size(), 1u);
  EXPECT_THAT([&] { run(0, [&](const param_store& store) { orphan(store), stop.request_stop(); }); },
              ThrowsMessage<worker_error>(HasSubstr("took this process, which supervises the run, for dead")));
}

TEST_F(nobody_trains, is_what_the_user_wants_who_stops_the_run) {
  const train_result result = run(2, [&](const param_store&) { stop.request_stop(); });
  EXPECT_EQ(result.status, run_status::stopped);
  EXPECT_EQ(result.epochs, 2u);
}

// The curvature of poisson has no bound: a step that suits the rows of a search may be too large for others.
TEST(a_found_step, is_halved_where_it_is_too_large_after_all) {
  test::toy_rows toy = test::planted_regression({.rows = 300, .columns = 10, .per_row = 5});
  for (float& label : toy.label) label = std::round(std::exp(std::clamp(label, -1.0f, 2.0f)));
  const test::kept_rows data = std::move(toy);
  for (const bool found : {true, false}) {
    const test::planned_task work = make_task(poisson{}, data.view(), label_map{}, {});
    test::heard_run heard;
    const resolved_run run{.options = {.epochs = 12, .observers = {&heard}},
                           .schedule = {schedule_kind::constant, 8.0, 0.0, 12},
                           .step_found = true,
                           .step_is_guess = found};
    const auto started = start(serial_engine{}, *work, work.plan, {});
    const train_result result = work.train(*started, run);
    EXPECT_EQ(result.status, found ? run_status::done : run_status::diverged);
    EXPECT_THAT(heard.notes,
                Contains(HasSubstr(found ? "trained again with half of the step" : "no measured epoch was better")));
    if (!found) continue;
    ASSERT_EQ(heard.epochs.size(), 12u);
    EXPECT_LT(heard.epochs.back().step, 8.0);
    EXPECT_LT(result.objective, heard.epochs.front().objective);
  }
}

TEST(telemetry, tells_how_stale_replicas_were_that_exchange_once_or_twice_an_epoch) {
  const test::kept_rows data = test::planted_classification({.rows = 1000, .columns = 30});
  test::heard_run seen;
  resolved_run run{.options = {.epochs = 2, .l2 = 0.01, .observers = {&seen}},
                   .schedule = {schedule_kind::geometric, 0.1, 1.0},
                   .l2 = 0.01};
  test::planned_task work =
      make_task(logistic{}, data.view(), label_map::learn(label_kind::binary, data.view().label, "data"),
                {.isa = choose_isa(isa::automatic), .l2 = 0.01});
  // The second worker begins half a period in: either it trains 256 rows, or the first one trains 512.
  work.set_sharing(access_kind::buffered, {.rows = 512, .curvature = 1e-4, .workers = 2});
  const auto started =
      start(thread_engine{.workers = 2, .team = thread_team_kind::std, .pin = false}, *work, work.plan, {});
  work.train(*started, run);
  const epoch_report& last = seen.epochs.back();
  EXPECT_TRUE(last.staleness_p50 && last.staleness_p99 && last.conflict_rate);
}

}  // namespace
