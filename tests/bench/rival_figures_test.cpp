// SPDX-License-Identifier: Apache-2.0
#include "rivals/figures.hpp"

#include <gtest/gtest.h>

#include <charconv>

#include <hogwild/error.hpp>

namespace hogwild::bench {
namespace {

const std::string table =
    "rows.svm hinge lam 1e-05 step 0.5\n"
    "| config | ms/ep med (best) | cpu | Mnnz/s | speedup | obj e1 | e2 | e5 | final | vs serial % | acc | tloss |\n"
    "| one-thread | 12.50 (11.25) | 12.4 | 900 | 1.00 | 0.4 | 0.3 | nan | 0.27055 | +0.00 | 0.9271 | 0.28 |\n"
    "| ruler | 7.50 (x) | 12.4 | 900 | 1.00 | 0.4 | 0.3 | nan | 0.27055 | +0.00 | 0.9271 | 0.28 |\n";

TEST(rival_figures, the_sticks_table_is_read_by_name) {
  const stick_figures f = read_stick(table, "one-thread");
  EXPECT_DOUBLE_EQ(f.epoch_seconds, 0.0125);
  EXPECT_DOUBLE_EQ(f.best_epoch_seconds, 0.01125);
  EXPECT_DOUBLE_EQ(f.objective, 0.27055);
  EXPECT_DOUBLE_EQ(f.test_accuracy, 0.9271);
}

TEST(rival_figures, a_line_of_the_stick_that_is_missing_or_torn_is_told) {
  EXPECT_THROW(read_stick(table, "plain"), input_error);
  EXPECT_THROW(read_stick(table, "ruler"), input_error) << "no best time";
  EXPECT_THROW(read_stick("| one-thread | 1 (1) |\n", "one-thread"), input_error);
}

TEST(rival_figures, hazy_tells_each_epoch_and_the_last_quality_counts) {
  const hazy_figures f = read_hazy(
      "Loading binary file...\n"
      "epoch: 1 wall_clock: 1.1 train_time: 0.014 epoch_time: 0.014 test_rmse: 0.38 obj: 900 test_acc: 0.91\n"
      "epoch: 2 wall_clock: 1.2 train_time: 0.027 epoch_time: 0.013 test_rmse: 0.33 obj: 800 test_acc: 0.92\n");
  EXPECT_EQ(f.epoch_seconds, (std::vector<double>{0.014, 0.013}));
  EXPECT_EQ(f.objective_sum, 800.0);
  EXPECT_EQ(f.test_accuracy, 0.92);
}

TEST(rival_figures, a_hazy_that_tells_no_accuracy_has_none) {
  const hazy_figures f = read_hazy("epoch: 1 epoch_time: 0.5 train_rmse: 0.3 test_rmse: nan\n");
  EXPECT_EQ(f.epoch_seconds.size(), 1u);
  EXPECT_FALSE(f.test_accuracy || f.objective_sum);
  EXPECT_THROW(read_hazy("Segmentation fault\n"), input_error);
}

TEST(rival_figures, numbers_for_command_lines_keep_every_digit) {
  for (const double x : {0.1, 1e-4, 5.559199919947521e-06, 0.5}) {
    const std::string text = written(x);
    double back = 0;
    std::from_chars(text.data(), text.data() + text.size(), back);
    EXPECT_EQ(back, x);
  }
}

}  // namespace
}  // namespace hogwild::bench
