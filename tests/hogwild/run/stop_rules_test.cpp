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
  step_schedule schedule{.kind = schedule_kind::plateau, .decay = 0.5};
  bool convex = false, improved = false;

  std::optional<run_status> after(const epoch_report& epoch, std::uint64_t epochs = 1) {
    const stop_rules::outcome said = rules.after(epoch, fall, options, convex, schedule, epochs);
    improved = said.best;
    return said.ended;
  }
  std::optional<run_status> after(double objective) { return after({.objective = objective}); }
  std::optional<run_status> after_validation(double loss) {
    return after({.epoch = 1, .objective = 1.0, .validation = measurement{.loss = loss}});
  }
  std::optional<run_status> after_gap(double objective, double gap) {
    return after({.epoch = 1, .objective = objective, .gap = gap});
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
  EXPECT_EQ(after(0.896), run_status::no_progress);
}

TEST_F(stop_rules_of, tolerance_asks_for_as_many_flat_epochs_as_it_is_told) {
  options.tolerance = 0.01;
  options.tolerance_epochs = 3;
  EXPECT_EQ(after(2.0), std::nullopt);
  EXPECT_EQ(after(1.0), std::nullopt);
  EXPECT_EQ(after(1.0), std::nullopt);
  EXPECT_EQ(after(1.0), std::nullopt);
  EXPECT_EQ(after(1.0), run_status::no_progress);
}

TEST_F(stop_rules_of, of_epochs_that_are_measured_together_each_counts_as_their_mean) {
  options.tolerance = 0.01;
  options.tolerance_epochs = 5;
  const auto after_three = [&](double objective) { return after({.objective = objective}, 3); };
  EXPECT_EQ(after_three(1.0), std::nullopt);
  EXPECT_EQ(after_three(0.96), std::nullopt);  // by more than three hundredths of 1.04
  EXPECT_EQ(after_three(0.93), std::nullopt);  // three flat epochs
  EXPECT_EQ(after_three(0.9), run_status::no_progress);
}

// A flat objective tells nothing about the optimum of a convex model; the distance from it decides.
TEST_F(stop_rules_of, of_a_convex_model_a_tolerance_is_a_distance_from_the_optimum) {
  convex = true;
  options.tolerance = 0.01;
  schedule.kind = schedule_kind::constant;
  for (int e = 0; e < 40; ++e) EXPECT_EQ(after_gap(1.0, 0.02), std::nullopt);
  EXPECT_EQ(after_gap(0.99, 0.0101), std::nullopt);
  EXPECT_EQ(after_gap(0.99, 0.0099), run_status::converged);
}

TEST_F(stop_rules_of, the_lowest_objective_is_returned_and_its_distance_counts) {
  convex = true;
  options.tolerance = 0.01;
  EXPECT_EQ(after_gap(1.0, 0.2), std::nullopt);
  EXPECT_TRUE(improved);
  EXPECT_EQ(rules.step_factor, 1.0);
  EXPECT_EQ(after_gap(1.25, 0.25), std::nullopt);  // the optimum is 0.9375 at least
  EXPECT_FALSE(improved);
  EXPECT_EQ(rules.step_factor, 0.5);
  EXPECT_NEAR(rules.gap_of(1.0), 0.0625, 1e-12);
  EXPECT_EQ(after_gap(1.125, 0.117), run_status::converged);  // 0.993375 at least: the first epoch was within 0.01
  EXPECT_FALSE(improved);
}

TEST_F(stop_rules_of, a_step_that_has_fallen_to_nothing_ends_the_run) {
  convex = true;
  options.tolerance = 0.01;
  EXPECT_EQ(after_gap(1.0, 0.5), std::nullopt);
  for (int halved = 1; halved < 20; ++halved) EXPECT_EQ(after_gap(1.0, 0.5), std::nullopt) << halved;
  EXPECT_EQ(after_gap(1.0, 0.5), run_status::no_progress);  // 2^-20
}

TEST_F(stop_rules_of, without_a_gap_a_convex_model_never_converges) {
  convex = true;
  options.tolerance = 0.5;
  schedule.kind = schedule_kind::constant;
  for (int e = 0; e < 50; ++e) EXPECT_EQ(after(1.0), std::nullopt);
}

TEST_F(stop_rules_of, epochs_without_progress_end_a_convex_model_where_they_are_asked_for) {
  convex = true;
  options.tolerance = 0.01;
  options.tolerance_epochs = 1;
  EXPECT_EQ(after_gap(1.0, 0.001), std::nullopt);
  EXPECT_FALSE(improved);
  EXPECT_EQ(after_gap(1.0, 0.001), run_status::no_progress);
}

TEST_F(stop_rules_of, validation_rows_have_a_tolerance_go_by_progress) {
  convex = true;
  options.tolerance = 0.01;
  options.patience = 10;
  options.validation_fraction = 0.5;
  const epoch_report flat{.objective = 1.0, .gap = 0.0, .validation = measurement{.loss = 1.0}};
  EXPECT_EQ(after(flat), std::nullopt);
  EXPECT_EQ(after(flat), std::nullopt);
  EXPECT_EQ(after(flat), run_status::no_progress);
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
  EXPECT_EQ(after_validation(0.95), run_status::no_progress);
}

// Small steps that add up are compared with the loss that was last called better. The numbers are exact.
TEST_F(stop_rules_of, a_validation_loss_is_better_if_it_is_lower_by_more_than_min_delta) {
  options.patience = 3;
  options.min_delta = 0.25;
  for (const auto& [loss, better] : {std::pair{2.0, true}, std::pair{1.75, false}, std::pair{1.5, true},
                                     std::pair{1.375, false}, std::pair{1.25, false}}) {
    EXPECT_EQ(after_validation(loss), std::nullopt) << loss;
    EXPECT_EQ(improved, better) << loss;
  }
  EXPECT_EQ(after_validation(1.3), run_status::no_progress);
}

TEST_F(stop_rules_of, a_measure_of_validation_rows_says_what_was_best_whatever_the_loss) {
  options.patience = 2;
  options.stop_by = "mrr";
  options.min_delta = 0.0625;
  const auto after_places = [&](double loss, double mrr) {
    return after({.epoch = 1, .objective = 1.0, .validation = measurement{.loss = loss, .mrr = mrr}});
  };
  EXPECT_EQ(after_places(1.0, 0.25), std::nullopt);
  EXPECT_TRUE(improved);
  EXPECT_EQ(after_places(0.5, 0.3125), std::nullopt);  // by min_delta, and no more
  EXPECT_FALSE(improved);
  EXPECT_EQ(after_places(2.0, 0.5), std::nullopt);
  EXPECT_TRUE(improved);
  EXPECT_EQ(after_places(0.25, 0.5), std::nullopt);
  EXPECT_EQ(after_places(0.125, 0.5), run_status::no_progress);
}

TEST_F(stop_rules_of, validation_rows_without_the_measure_are_refused) {
  options.stop_by = "group_auc";
  EXPECT_THROW(after_validation(1.0), config_error);
}

TEST_F(stop_rules_of, a_plateau_lowers_the_step_after_a_gain_below_min_delta) {
  options.min_delta = 0.25;
  after({.epoch = 1, .objective = 1.0, .validation = measurement{.loss = 2.0}});
  EXPECT_EQ(rules.step_factor, 1.0);
  after({.epoch = 2, .objective = 1.0, .validation = measurement{.loss = 1.875}});
  EXPECT_EQ(rules.step_factor, 0.5);
}

TEST_F(stop_rules_of, patience_counts_epochs_that_are_measured_together) {
  options.patience = 5;
  const auto after_three = [&](double loss) {
    return after({.epoch = 1, .objective = 1.0, .validation = measurement{.loss = loss}}, 3);
  };
  EXPECT_EQ(after_three(1.0), std::nullopt);
  EXPECT_EQ(after_three(1.1), std::nullopt);
  EXPECT_EQ(after_three(1.1), run_status::no_progress);
}

TEST_F(stop_rules_of, a_validation_loss_that_is_not_a_number_is_no_improvement) {
  EXPECT_EQ(after_validation(NAN), std::nullopt);
  EXPECT_FALSE(improved);
}

TEST_F(stop_rules_of, targets_of_losses_are_reached_from_above_and_of_fractions_from_below) {
  epoch_report e{.train_loss = 0.5, .objective = 0.6};
  const auto reached = [&](const std::string& what, double value) { return stop_rules::reached({what, value}, e); };
  EXPECT_TRUE(reached("train_loss", 0.5));
  EXPECT_FALSE(reached("train_loss", 0.49));
  EXPECT_TRUE(reached("objective", 0.6));
  EXPECT_FALSE(reached("objective", 0.59));
  for (const std::string of_test : {"test_loss", "test_accuracy", "test_auc", "test_f1", "test_rmse"}) {
    EXPECT_FALSE(reached(of_test, of_test == "test_accuracy" ? 0.0 : 1e9)) << "without test rows";
  }
  e.test = measurement{.loss = 0.4, .accuracy = 0.8, .auc = 0.9, .f1 = 0.7, .rmse = 0.3};
  EXPECT_TRUE(reached("test_loss", 0.4) && !reached("test_loss", 0.39));
  EXPECT_TRUE(reached("test_accuracy", 0.8) && !reached("test_accuracy", 0.81));
  EXPECT_TRUE(reached("test_auc", 0.9) && !reached("test_auc", 0.91));
  EXPECT_TRUE(reached("test_f1", 0.7) && !reached("test_f1", 0.71));
  EXPECT_TRUE(reached("test_rmse", 0.3) && !reached("test_rmse", 0.29));
  e.test = measurement{.precision_at_1 = 0.9,
                       .precision_at_3 = 0.5,
                       .precision_at_5 = 0.3,
                       .micro_f1 = 0.8,
                       .macro_f1 = 0.4,
                       .psp_at_1 = 0.6,
                       .psp_at_3 = 0.61,
                       .psp_at_5 = 0.62};
  EXPECT_TRUE(reached("test_psp_at_1", 0.6) && !reached("test_psp_at_1", 0.61));
  EXPECT_TRUE(reached("test_psp_at_3", 0.61) && !reached("test_psp_at_3", 0.62));
  EXPECT_TRUE(reached("test_psp_at_5", 0.62) && !reached("test_psp_at_5", 0.63));
  EXPECT_TRUE(reached("test_precision_at_1", 0.9) && !reached("test_precision_at_1", 0.91));
  EXPECT_TRUE(reached("test_precision_at_3", 0.5) && !reached("test_precision_at_3", 0.51));
  EXPECT_TRUE(reached("test_precision_at_5", 0.3) && !reached("test_precision_at_5", 0.31));
  EXPECT_TRUE(reached("test_micro_f1", 0.8) && !reached("test_micro_f1", 0.81));
  EXPECT_TRUE(reached("test_macro_f1", 0.4) && !reached("test_macro_f1", 0.41));
}

TEST_F(stop_rules_of, a_reached_target_ends_the_run) {
  options.target = target_option{"objective", 0.5};
  EXPECT_EQ(after(0.6), std::nullopt);
  EXPECT_EQ(after(0.4), run_status::target);
}

// Quarters and whole numbers, so that the sums below are exact.
constexpr double shifts[] = {-20.0, 0.0, 20.0, 1024.0};

TEST(objective_fall, gives_back_a_fraction_of_what_was_gained) {
  for (const double c : shifts) {
    const objective_fall fall{c + 8.0};
    EXPECT_EQ(fall.down_to(c + 4.0), 4.0);
    EXPECT_EQ(fall.down_to(c + 9.0), 0.0);
    EXPECT_FALSE(fall.given_back(c + 4.0, c + 5.0, 0.25));
    EXPECT_TRUE(fall.given_back(c + 4.0, c + 5.25, 0.25));
    EXPECT_FALSE(fall.given_back(c + 8.0, c + 8.0, 0.25));
    EXPECT_TRUE(fall.given_back(c + 8.0, c + 8.25, 0.25)) << "before anything was gained";
  }
}

TEST(objective_fall, is_flat_by_a_fraction_of_what_was_gained_with_it) {
  for (const double c : shifts) {
    const objective_fall fall{c + 8.0};
    EXPECT_TRUE(fall.flat(c + 4.5, c + 4.0, 0.125));
    EXPECT_FALSE(fall.flat(c + 4.75, c + 4.0, 0.125));
    EXPECT_TRUE(fall.flat(c + 4.0, c + 4.25, 0.125)) << "what rises";
    EXPECT_TRUE(fall.flat(c + 8.0, c + 8.0, 0.125)) << "what never fell";
    EXPECT_FALSE(fall.flat(HUGE_VAL, c + 8.0, 0.125)) << "a first epoch";
  }
}

TEST(objective_fall, what_is_no_number_is_worse_than_any) {
  const objective_fall fall{8.0};
  EXPECT_TRUE(fall.given_back(4.0, NAN, 0.25));
  EXPECT_TRUE(fall.given_back(4.0, HUGE_VAL, 0.25));
}

TEST(objective_fall, from_nowhere_nothing_is_gained) {
  for (const double start : {HUGE_VAL, static_cast<double>(NAN)}) {
    const objective_fall unknown{start};
    EXPECT_EQ(unknown.down_to(1.0), 0.0);
    EXPECT_FALSE(unknown.given_back(4.0, 4.0, 0.25));
    EXPECT_TRUE(unknown.given_back(4.0, 4.25, 0.25));
  }
}

}  // namespace
