// SPDX-License-Identifier: Apache-2.0
#include "assess.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace hogwild::bench {
namespace {

bench_options within(double tolerance) {
  bench_options o;
  o.tolerance = tolerance;
  return o;
}

run_outcome ended(double objective, std::vector<double> epochs) {
  run_outcome run{.epoch_seconds = std::move(epochs)};
  run.result.objective = objective;
  return run;
}

/// A point whose serial reference has the objective 1.
point_report point_of(std::vector<run_outcome> runs) {
  point_report p;
  p.runs = std::move(runs);
  p.reference_objective = 1.0;
  return p;
}

rival_report rival_of(std::vector<rival_run> runs) {
  rival_report r;
  r.runs = std::move(runs);
  return r;
}

TEST(assess, a_good_point_gets_its_median_without_first_epochs) {
  point_report p = point_of({ended(1.0, {9.0, 2.0, 4.0}), ended(1.004, {9.0, 3.0, 1.0})});
  assess(p, within(0.005), 100);
  EXPECT_EQ(p.state, point_state::measured);
  EXPECT_DOUBLE_EQ(p.median_seconds, 2.5);
  EXPECT_EQ(p.min_seconds, 1.0);
  EXPECT_EQ(p.max_seconds, 4.0);
  EXPECT_DOUBLE_EQ(p.nonzeros_per_second, 40.0);
  EXPECT_DOUBLE_EQ(p.objective, 1.002);
}

TEST(assess, one_run_outside_the_band_fails_the_point_and_no_speed_is_told) {
  for (const double objective : {1.006, 0.994, std::numeric_limits<double>::quiet_NaN()}) {
    point_report p = point_of({ended(1.0, {1.0, 1.0}), ended(objective, {1.0, 0.1})});
    assess(p, within(0.005), 100);
    EXPECT_EQ(p.state, point_state::failed) << objective;
    EXPECT_FALSE(p.reason.empty());
    EXPECT_EQ(p.median_seconds, 0.0);
  }
}

TEST(assess, a_run_that_diverged_fails_the_point) {
  point_report p = point_of({ended(1.0, {1.0, 1.0})});
  p.runs[0].result.status = run_status::diverged;
  assess(p, within(0.005), 100);
  EXPECT_EQ(p.state, point_state::failed);
}

TEST(assess, a_skipped_one_stays_skipped_and_a_broken_one_broken) {
  for (const point_state state : {point_state::skipped, point_state::broken}) {
    point_report p = point_of({});
    p.state = state;
    p.reason = "no CPU";
    assess(p, within(0.005), 100);
    EXPECT_EQ(p.state, state);
    EXPECT_EQ(p.reason, "no CPU");
  }
}

TEST(assess, a_rival_that_tells_no_epochs_has_its_command_only) {
  const model_settings reference{.model = "logistic", .objective = 1.0, .test_accuracy = 0.9};
  rival_report r = rival_of({{.command_seconds = 3.0, .objective = 0.9}, {.command_seconds = 1.0, .objective = 0.9}});
  assess(r, within(0.005), reference, 100);
  EXPECT_EQ(r.state, point_state::measured);
  EXPECT_DOUBLE_EQ(r.median_command_seconds, 2.0);
  EXPECT_FALSE(r.median_epoch_seconds || r.min_epoch_seconds || r.nonzeros_per_second);
}

TEST(assess, a_rival_with_epochs_has_median_best_and_rate) {
  const model_settings reference{.model = "logistic", .objective = 1.0, .test_accuracy = 0.9};
  rival_report r = rival_of({{3.0, 0.5, 0.4, 1.0, 0.9}, {3.0, 0.7, 0.3, 1.0, 0.9}, {3.0, 0.6, 0.5, 1.0, 0.9}});
  assess(r, within(0.005), reference, 60);
  EXPECT_DOUBLE_EQ(r.median_epoch_seconds.value(), 0.6);
  EXPECT_DOUBLE_EQ(r.min_epoch_seconds.value(), 0.3);
  EXPECT_DOUBLE_EQ(r.nonzeros_per_second.value(), 100.0);
}

TEST(assess, a_rival_of_poor_quality_fails) {
  const model_settings reference{.model = "logistic", .objective = 1.0, .test_accuracy = 0.9};
  rival_report r = rival_of({{.command_seconds = 3.0, .objective = 1.1}});
  assess(r, within(0.005), reference, 60);
  EXPECT_EQ(r.state, point_state::failed);
  EXPECT_EQ(r.median_command_seconds, 0.0);
}

}  // namespace
}  // namespace hogwild::bench
