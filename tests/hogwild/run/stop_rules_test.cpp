// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/stop_rules.hpp>

#include <cmath>

#include <gtest/gtest.h>

using namespace hogwild;

namespace {

struct stop_rules_of : testing::Test {
  stop_rules rules;
  train_options options;
  objective_fall fall{2.0};
  bool improved = false;

  std::optional<run_status> after(double objective) {
    return rules.after({.objective = objective}, fall, options, improved);
  }
  std::optional<run_status> after_validation(double loss) {
    return rules.after({.objective = 1.0, .validation = measurement{.loss = loss}}, fall, options, improved);
  }
};

TEST_F(stop_rules_of, nothing_asked_for_nothing_stops) {
  for (int e = 0; e < 50; ++e) EXPECT_EQ(after(1.0), std::nullopt);
  EXPECT_FALSE(improved);
}

TEST_F(stop_rules_of, a_loss_that_is_not_finite_has_diverged) {
  EXPECT_EQ(after(NAN), run_status::diverged);
  EXPECT_EQ(after(HUGE_VAL), run_status::diverged);
}

TEST_F(stop_rules_of, tolerance_asks_for_two_flat_epochs_in_a_row) {
  options.tolerance = 0.01;
  EXPECT_EQ(after(2.0), std::nullopt);
  EXPECT_EQ(after(1.0), std::nullopt);
  EXPECT_EQ(after(0.995), std::nullopt);  // flat
  EXPECT_EQ(after(0.9), std::nullopt);    // and falling again
  EXPECT_EQ(after(0.895), std::nullopt);  // flat
  EXPECT_EQ(after(0.896), run_status::converged);
}

TEST_F(stop_rules_of, tolerance_asks_for_as_many_flat_epochs_as_it_is_told) {
  options.tolerance = 0.01;
  options.tolerance_epochs = 3;
  EXPECT_EQ(after(2.0), std::nullopt);
  EXPECT_EQ(after(1.0), std::nullopt);
  EXPECT_EQ(after(1.0), std::nullopt);
  EXPECT_EQ(after(1.0), std::nullopt);
  EXPECT_EQ(after(1.0), run_status::converged);
}

TEST_F(stop_rules_of, of_epochs_that_are_measured_together_each_counts_as_their_mean) {
  options.tolerance = 0.01;
  options.tolerance_epochs = 5;
  const auto after_three = [&](double objective) {
    return rules.after({.objective = objective}, fall, options, improved, 3);
  };
  EXPECT_EQ(after_three(1.0), std::nullopt);
  EXPECT_EQ(after_three(0.96), std::nullopt);  // by more than three hundredths of 1.04
  EXPECT_EQ(after_three(0.93), std::nullopt);  // three flat epochs
  EXPECT_EQ(after_three(0.9), run_status::converged);
}

TEST_F(stop_rules_of, validation_waits_for_its_patience_and_says_what_was_best) {
  options.patience = 2;
  EXPECT_EQ(after_validation(1.0), std::nullopt);
  EXPECT_TRUE(improved);
  EXPECT_EQ(after_validation(1.1), std::nullopt);
  EXPECT_FALSE(improved);
  EXPECT_EQ(after_validation(0.9), std::nullopt);
  EXPECT_TRUE(improved);
  EXPECT_EQ(after_validation(0.9), std::nullopt);  // not better
  EXPECT_FALSE(improved);
  EXPECT_EQ(after_validation(0.95), run_status::converged);
}

TEST_F(stop_rules_of, patience_counts_epochs_that_are_measured_together) {
  options.patience = 5;
  const auto after_three = [&](double loss) {
    return rules.after({.objective = 1.0, .validation = measurement{.loss = loss}}, fall, options, improved, 3);
  };
  EXPECT_EQ(after_three(1.0), std::nullopt);
  EXPECT_EQ(after_three(1.1), std::nullopt);
  EXPECT_EQ(after_three(1.1), run_status::converged);
}

TEST_F(stop_rules_of, a_validation_loss_that_is_not_a_number_is_no_improvement) {
  EXPECT_EQ(after_validation(NAN), std::nullopt);
  EXPECT_FALSE(improved);
}

TEST_F(stop_rules_of, targets_of_losses_are_reached_from_above_and_of_fractions_from_below) {
  epoch_report e{.train_loss = 0.5, .objective = 0.6};
  const auto reached = [&](metric what, double value) { return stop_rules::reached({what, value}, e); };
  EXPECT_TRUE(reached(metric::train_loss, 0.5));
  EXPECT_FALSE(reached(metric::train_loss, 0.49));
  EXPECT_TRUE(reached(metric::objective, 0.6));
  EXPECT_FALSE(reached(metric::objective, 0.59));
  for (const metric of_test :
       {metric::test_loss, metric::test_accuracy, metric::test_auc, metric::test_f1, metric::test_rmse}) {
    EXPECT_FALSE(reached(of_test, of_test == metric::test_accuracy ? 0.0 : 1e9)) << "without test rows";
  }
  e.test = measurement{.loss = 0.4, .accuracy = 0.8, .auc = 0.9, .f1 = 0.7, .rmse = 0.3};
  EXPECT_TRUE(reached(metric::test_loss, 0.4) && !reached(metric::test_loss, 0.39));
  EXPECT_TRUE(reached(metric::test_accuracy, 0.8) && !reached(metric::test_accuracy, 0.81));
  EXPECT_TRUE(reached(metric::test_auc, 0.9) && !reached(metric::test_auc, 0.91));
  EXPECT_TRUE(reached(metric::test_f1, 0.7) && !reached(metric::test_f1, 0.71));
  EXPECT_TRUE(reached(metric::test_rmse, 0.3) && !reached(metric::test_rmse, 0.29));
  e.test = measurement{
      .precision_at_1 = 0.9, .precision_at_3 = 0.5, .precision_at_5 = 0.3, .micro_f1 = 0.8, .macro_f1 = 0.4};
  EXPECT_TRUE(reached(metric::test_precision_at_1, 0.9) && !reached(metric::test_precision_at_1, 0.91));
  EXPECT_TRUE(reached(metric::test_precision_at_3, 0.5) && !reached(metric::test_precision_at_3, 0.51));
  EXPECT_TRUE(reached(metric::test_precision_at_5, 0.3) && !reached(metric::test_precision_at_5, 0.31));
  EXPECT_TRUE(reached(metric::test_micro_f1, 0.8) && !reached(metric::test_micro_f1, 0.81));
  EXPECT_TRUE(reached(metric::test_macro_f1, 0.4) && !reached(metric::test_macro_f1, 0.41));
}

TEST_F(stop_rules_of, a_reached_target_ends_the_run) {
  options.target = target_option{metric::objective, 0.5};
  EXPECT_EQ(after(0.6), std::nullopt);
  EXPECT_EQ(after(0.4), run_status::target);
}

}  // namespace
