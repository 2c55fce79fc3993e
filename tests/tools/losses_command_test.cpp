// SPDX-License-Identifier: Apache-2.0
// Losses of linear models, trained and reported by the command.
#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "small_data.hpp"

namespace hogwild::test {
namespace {

class losses_command : public with_small_data {
 protected:
  /// Writes 2,000 rows of one column, x from 0 to 2 in steps of a hundredth, with label(row, x); returns the path.
  static std::string rows_with(const std::function<double(int row, double x)>& label) {
    std::string text;
    for (int row = 0; row < 2000; ++row) {
      const double x = (row * 37 % 200) / 100.0;
      text += std::to_string(label(row, x)) + " 1:" + std::to_string(x) + "\n";
    }
    return folder->write("rows.svm", text);
  }
  /// Trains a model with these options. The prediction for each row, less the row's label.
  static std::vector<double> errors_of(const std::string& data, const command_words& options) {
    const std::string model = *folder / "model.txt";
    result_of({"train", data, "--bias --l2 0 --json --save", model, options});
    EXPECT_EQ(hogwild({"evaluate", model, data}).code, 0);
    const auto told = lines_of(hogwild({"predict", model, data}).out), rows = lines_of(read_file(data));
    EXPECT_EQ(told.size(), rows.size());
    std::vector<double> errors;
    for (std::size_t r = 0; r < told.size(); ++r) errors.push_back(std::stod(told[r]) - std::stod(rows[r]));
    return errors;
  }
};

// Labels lie within 0.25 of 1 + 2 x, so that a tube of that width costs nothing.
TEST_F(losses_command, epsilon_insensitive_ones_find_the_tube_that_holds_all_labels) {
  const std::string data = rows_with([](int row, double x) { return 1.0 + 2.0 * x + ((row * 7) % 11 - 5) * 0.05; });
  for (const std::string model : {"epsilon_insensitive", "squared_epsilon_insensitive"})
    for (const double error : errors_of(data, {"--model", model, "--epsilon 0.25 --epochs 60"}))
      ASSERT_LE(std::abs(error), 0.35) << model;
}

// Labels lie between 1 + x and 3 + x, evenly, whatever x is.
TEST_F(losses_command, quantile_has_the_asked_fraction_of_labels_below) {
  const std::string data = rows_with([](int row, double x) { return 1.0 + x + (row % 23 + 0.5) * 2.0 / 23.0; });
  for (const double q : {0.1, 0.5, 0.9}) {
    const auto errors = errors_of(data, {"--model quantile --epochs 60 --quantile", std::to_string(q)});
    const auto below = std::ranges::count_if(errors, [](double error) { return error > 0.0; });
    EXPECT_NEAR(static_cast<double>(below) / static_cast<double>(errors.size()), q, 0.06);
  }
}

// Counts are the nearest whole numbers to exp(0.5 + x): the rounding is the same above and below, so the fit is near.
TEST_F(losses_command, poisson_learns_the_rate_of_counts) {
  const std::string data =
      rows_with([](int row, double x) { return std::floor(std::exp(0.5 + x) + (row % 10 + 0.5) / 10.0); });
  for (const std::string engine : {"serial", "threads", "ring"}) {
    const std::string model = *folder / (engine + ".txt");
    const auto run = result_of({"train", data, "--test", data, "--model poisson --bias --epochs 40 --l2 0 --engine",
                                engine, "--json --save", model});
    const auto measured = result_of({"evaluate", model, data, "--json"});
    // A count is rounded by less than 1, evenly: about 0.29 on the average, and the fit adds little.
    EXPECT_LT(measured["rmse"].get<double>(), 0.5) << engine << measured;
    EXPECT_NEAR(run["test_rmse"].get<double>(), measured["rmse"].get<double>(), 1e-4);
    EXPECT_NEAR(std::stod(hogwild({"predict", model, data}).out), std::exp(0.5), 0.3) << engine;
  }
}

// The curvature of the loss has no bound: a step that is too large may end at any loss, and its search has to notice.
TEST_F(losses_command, poisson_finds_a_step_for_small_and_large_counts) {
  for (const double mean : {1.0, 50.0, 400.0}) {
    const std::string data =
        rows_with([&](int row, double x) { return std::floor(mean * std::exp(x - 0.5) + (row % 10 + 0.5) / 10.0); });
    const auto run =
        result_of({"train", data, "--test", data, "--model poisson --bias --epochs 20 --engine serial --json"});
    EXPECT_LT(run["test_rmse"].get<double>(), 0.5 * mean + 0.5) << mean << run;
  }
}

TEST_F(losses_command, of_two_labels_separate_what_a_hyperplane_separates) {
  for (const std::string name : {"squared_hinge", "modified_huber"}) {
    const std::string model = *folder / (name + ".bin");
    const auto run = result_of({"train", train(), "--test", test(), "--model", name,
                                "--epochs 10 --engine threads --workers 2 --json --save", model});
    // Two per cent of the labels are noise.
    EXPECT_GT(run["test_accuracy"].get<double>(), 0.8) << run;
    const auto measured = result_of({"evaluate", model, test(), "--json"});
    EXPECT_EQ(measured["model"], name);
    EXPECT_EQ(measured["accuracy"], run["test_accuracy"]);
    EXPECT_DOUBLE_EQ(fraction_right(hogwild({"predict", model, test()}).out, test()), measured["accuracy"]);
  }
  for (const std::string& line :
       lines_of(hogwild({"predict", *folder / "modified_huber.bin", test(), "--probabilities"}).out)) {
    EXPECT_GE(std::stod(line), 0.0);
    EXPECT_LE(std::stod(line), 1.0);
  }
}

// All optimisers reach the same objective, with several workers, and from a saved state, too.
TEST_F(losses_command, squared_hinge_is_trained_by_every_optimiser) {
  for (const char* const by :
       {"adagrad --step 0.1", "row_adagrad --step 0.1", "momentum --step 0.01", "adam --step 0.01"}) {
    const std::string state = *folder / "state";
    const auto with = [&](const command_words& more) {
      return result_of({"train", train(), "--test", test(), "--model squared_hinge --engine threads --workers 2",
                        "--optimizer", by, "--json --checkpoint", state, more});
    };
    EXPECT_GT(with("--epochs 5")["test_accuracy"].get<double>(), 0.8) << by;
    const auto on = with({"--epochs 8 --resume", state});
    EXPECT_GT(on["test_accuracy"].get<double>(), 0.8) << by;
    EXPECT_EQ(on["epochs"], 8) << by;
  }
}

}  // namespace
}  // namespace hogwild::test
