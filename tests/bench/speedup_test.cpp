// SPDX-License-Identifier: Apache-2.0
#include "speedup.hpp"

#include <gtest/gtest.h>

namespace hogwild::bench {
namespace {

point_report measured(engine_kind engine, std::size_t workers, double seconds, update_kind update = update_kind::lossy,
                      std::size_t epochs = 4) {
  return {.what = {"logistic", engine, workers, update},
          .runs = {{.epoch_seconds = std::vector<double>(epochs, seconds)}},
          .reference_objective = 0.5,
          .objective = 0.501,
          .median_seconds = seconds};
}

TEST(speedup, compares_with_the_fastest_single_worker_whatever_its_engine) {
  scaling_report report;
  report.points = {measured(engine_kind::serial, 1, 3.0), measured(engine_kind::threads, 1, 2.0),
                   measured(engine_kind::threads, 2, 1.0), measured(engine_kind::processes, 2, 4.0)};
  const auto all = speedups_of(report);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_DOUBLE_EQ(all[0].ratio, 2.0);
  EXPECT_DOUBLE_EQ(all[0].one_worker_seconds, 2.0);
  EXPECT_EQ(all[0].one_worker, "threads 1 lossy auto");
  EXPECT_NEAR(all[0].objective_difference, 0.002, 1e-12);
  EXPECT_DOUBLE_EQ(all[1].ratio, 0.5);
}

TEST(speedup, counts_all_epochs_where_a_way_of_sharing_was_given_more) {
  scaling_report report;
  report.points = {measured(engine_kind::serial, 1, 3.0), measured(engine_kind::ring, 2, 2.0, update_kind::lossy, 8)};
  const auto all = speedups_of(report);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_DOUBLE_EQ(all[0].ratio, 1.5);
  EXPECT_DOUBLE_EQ(all[0].schedule_ratio, 0.75);
}

TEST(speedup, says_nothing_of_points_that_were_not_measured_or_have_no_single_worker) {
  scaling_report report;
  report.points = {measured(engine_kind::serial, 1, 3.0, update_kind::exact), measured(engine_kind::threads, 2, 1.0)};
  EXPECT_TRUE(speedups_of(report).empty());
  report.points.push_back(measured(engine_kind::serial, 1, 2.0));
  EXPECT_EQ(speedups_of(report).size(), 1u);
  report.points.back().state = point_state::failed;
  EXPECT_TRUE(speedups_of(report).empty());
}

}  // namespace
}  // namespace hogwild::bench
