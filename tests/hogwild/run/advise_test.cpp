// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/advise.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/run/run_planner.hpp>
#include <hogwild/detail/run/run_training.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/train.hpp>

#include "support/fresh_seed.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;
using testing::HasSubstr;

namespace {

template <class Engine>
candidate candidate_of(const char* name, const Engine& engine, std::size_t workers, bool in_lockstep = false) {
  return {.engine = name,
          .workers = workers,
          .by = std::make_unique<engine_of<Engine>>(engine),
          .twin = nullptr,
          .in_lockstep = in_lockstep};
}

std::vector<candidate> some_candidates() {
  std::vector<candidate> all;
  all.push_back(candidate_of("serial", serial_engine{}, 1));
  all.push_back(candidate_of("threads", thread_engine{.workers = 2, .team = thread_team_kind::std, .pin = false}, 2));
  all.push_back(candidate_of("all_reduce", sync_engine{.workers = 2, .pin = false}, 2, true));
  return all;
}

// The rule is train()'s: with the same speed of the machine it decides the same, word for word.
struct random_advice : test::fresh_seed<> {};

TEST_F(random_advice, says_what_a_run_would_decide) {
  const test::kept_rows data =
      test::planted_rows({.rows = 1000 + seed % 20'000, .columns = 500, .per_row = 20, .seed = seed});
  const prepared_task ready = prepare(least_squares{}, data.view(), {.step = {.initial = 0.1}});
  std::vector<candidate> candidates = some_candidates();
  const advice given = advise(ready, candidates);
  ASSERT_EQ(given.runs.size(), 3u);
  for (std::size_t i = 0; i < 2; ++i) {
    std::vector<candidate> again = some_candidates();
    resolved_run run = begin_run(ready);
    run.speed = given.speed;
    run.speed->lines.missed = 0.0;  // only advice reports it
    run_planner planner(*ready.task, run);
    EXPECT_EQ(again[i].by->plan(planner), given.runs[i].workers);
    EXPECT_EQ(planner.loop().sharing, given.runs[i].sharing);
    EXPECT_EQ(planner.loop().exchange.rows, given.runs[i].exchange.rows);
    EXPECT_EQ(run.sharing_reason, given.runs[i].reason);
    EXPECT_EQ(run.predicted_epoch_seconds, given.runs[i].epoch_seconds);
    EXPECT_FALSE(given.runs[i].probed);
  }
  EXPECT_DOUBLE_EQ(given.runs[0].epoch_seconds, 1e-9 * given.speed.row_ns * static_cast<double>(data.rows()));
  EXPECT_TRUE(given.runs[2].probed);
  EXPECT_GT(given.runs[2].epoch_seconds, 0.0);
  EXPECT_EQ(given.step, 0.1);
  EXPECT_GT(given.curvature, 0.0);
}

TEST(advise, tells_what_others_took_meanwhile) {
  const test::kept_rows data = test::planted_rows({});
  const prepared_task ready = prepare(least_squares{}, data.view(), {.step = {.initial = 0.1}});
  const auto fraction_told = [&](cpu_account after) {
    bool begun = false;
    const cpu_account_reader before = set_cpu_account_reader(
        [&] { return std::exchange(begun, true) ? after : cpu_account{.machine = cpu_account::of_machine{}}; });
    std::vector<candidate> candidates = some_candidates();
    const advice given = advise(ready, candidates);
    set_cpu_account_reader(before);
    EXPECT_EQ(given.load.missed, given.speed.lines.missed);
    return given.load.others;
  };
  using std::chrono::seconds;
  const cpu_account busy{.machine = cpu_account::of_machine{.all = seconds(4), .idle = seconds(1)}, .own = seconds(1)};
  const cpu_account idle{.machine = cpu_account::of_machine{.all = seconds(4), .idle = seconds(3)}, .own = seconds(1)};
  EXPECT_EQ(fraction_told(busy), 0.5);
  EXPECT_EQ(fraction_told(idle), 0.0);
  EXPECT_EQ(fraction_told(cpu_account{.own = seconds(1)}), std::nullopt);
}

TEST(advise, keeps_what_a_candidate_refuses) {
  const test::kept_rows data = test::planted_rows({});
  const prepared_task ready =
      prepare(least_squares{}, data.view(), {.step = {.initial = 0.1}, .optimizer = optimizer_kind::ftrl});
  std::vector<candidate> candidates = some_candidates();
  const advice given = advise(ready, candidates);
  EXPECT_EQ(given.runs[1].refused, "");
  EXPECT_THAT(given.runs[2].refused, HasSubstr("its weights are not linear in the sums"));
  EXPECT_NE(given.best, 2u);
}

advised_run run_that_takes(double seconds) {
  return {.engine = "any", .asked = 2, .workers = 2, .reason = {}, .epoch_seconds = seconds};
}

advised_run run_of(const char* engine, std::size_t workers, double seconds, std::uint64_t bytes) {
  return {
      .engine = engine, .asked = workers, .workers = workers, .reason = {}, .epoch_seconds = seconds, .bytes = bytes};
}

// One worker: a = 8 s. Two: (8 + c / 2) / 2 = 5 s, so c = 4 s. Four: (8 + 3) / 4, six: (8 + 4 * 5 / 6) / 6.
TEST(extrapolate, goes_on_from_one_worker_and_the_most) {
  std::vector<advised_run> known{run_of("serial", 1, 8.0, 100), run_of("threads", 2, 5.0, 140),
                                 run_of("processes", 2, 4.0, 100)};
  const std::vector<advised_run> further = extrapolate(known, 6);
  ASSERT_EQ(further.size(), 4u);
  EXPECT_EQ(further[0].engine, "threads");
  EXPECT_EQ(further[0].workers, 4u);
  EXPECT_NEAR(further[0].epoch_seconds, 11.0 / 4.0, 1e-12);
  EXPECT_NEAR(further[0].speed_up, 32.0 / 11.0, 1e-12);
  EXPECT_EQ(further[0].bytes, 180u);
  EXPECT_TRUE(further[0].extrapolated);
  EXPECT_EQ(further[1].workers, 6u);
  EXPECT_NEAR(further[1].epoch_seconds, (8.0 + 20.0 / 6.0) / 6.0, 1e-12);
  EXPECT_NEAR(further[2].epoch_seconds, 2.0, 1e-12);  // without a cost of lines: proportional to the workers
  EXPECT_EQ(further[3].bytes, 100u);
  EXPECT_TRUE(extrapolate(known, 2).empty());
}

TEST(extrapolate, is_never_more_than_as_many_times_as_fast) {
  const auto further = extrapolate({run_of("serial", 1, 8.0, 1), run_of("threads", 2, 1.0, 1)}, 4);
  ASSERT_EQ(further.size(), 1u);
  EXPECT_NEAR(further[0].epoch_seconds, 2.0, 1e-12);
}

TEST(extrapolate, has_nothing_to_go_by) {
  advised_run in_step = run_of("all_reduce", 2, 1.0, 1), refused = run_of("threads", 2, 0.0, 1);
  in_step.in_lockstep = true;
  refused.refused = "no";
  EXPECT_TRUE(extrapolate({run_of("serial", 1, 1.0, 1), in_step, refused}, 16).empty());
  EXPECT_TRUE(extrapolate({}, 16).empty());
}

TEST(best_of, is_the_first_that_none_is_clearly_faster_than) {
  EXPECT_EQ(best_of({run_that_takes(1.0), run_that_takes(0.96)}), 0u);
  EXPECT_EQ(best_of({run_that_takes(1.0), run_that_takes(0.6), run_that_takes(0.59)}), 1u);
  EXPECT_EQ(best_of({run_that_takes(1.0), run_that_takes(0.6), run_that_takes(0.5)}), 2u);
}

TEST(best_of, leaves_out_what_does_not_compare) {
  advised_run in_step = run_that_takes(0.1), refused = run_that_takes(0.0), idle = run_that_takes(0.1);
  in_step.in_lockstep = true;
  idle.workers = 1;
  refused.refused = "no";
  EXPECT_EQ(best_of({run_that_takes(1.0), in_step, refused, idle}), 0u);
  EXPECT_EQ(best_of({refused, run_that_takes(1.0)}), 1u);
}

}  // namespace
