// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <cmath>
#include <string>

#include "small_data.hpp"

namespace hogwild::test {
namespace {

using poisson_command = with_small_data;

// Counts are the nearest whole numbers to exp(0.5 + x): the rounding is the same above and below, so the fit is near.
TEST_F(poisson_command, learns_the_rate_of_counts) {
  const std::string data = rows_of_one_column(*folder / "counts.svm", [](int row, double x) {
    return std::floor(std::exp(0.5 + x) + (row % 10 + 0.5) / 10.0);
  });
  for (const char* const engine : {"serial", "threads", "ring"}) {
    const std::string model = *folder / (std::string(engine) + ".txt");
    const auto run = result_of(hogwild({"train", data, "--test", data, "--model", "poisson", "--bias", "--epochs", "40",
                                        "--l2", "0", "--engine", engine, "--save", model, "--json"}));
    const auto measured = result_of(hogwild({"evaluate", model, data, "--json"}));
    // A count is rounded by less than 1, evenly: about 0.29 on the average, and the fit adds little.
    EXPECT_LT(measured["rmse"].get<double>(), 0.5) << engine << measured;
    EXPECT_NEAR(run["test_rmse"].get<double>(), measured["rmse"].get<double>(), 1e-4);
    const outcome told = hogwild({"predict", model, data});
    ASSERT_EQ(told.code, 0) << told.err;
    EXPECT_NEAR(std::stod(lines_of(told.out).front()), std::exp(0.5), 0.3) << engine;
  }
}

// The curvature of the loss has no bound: a step that is too large may end at any loss, and its search has to see that.
TEST_F(poisson_command, finds_a_step_for_small_and_large_counts) {
  for (const double mean : {1.0, 50.0, 400.0}) {
    const std::string data = rows_of_one_column(*folder / "counts.svm", [&](int row, double x) {
      return std::floor(mean * std::exp(x - 0.5) + (row % 10 + 0.5) / 10.0);
    });
    const auto run = result_of(hogwild({"train", data, "--test", data, "--model", "poisson", "--bias", "--epochs", "20",
                                        "--engine", "serial", "--json"}));
    EXPECT_LT(run["test_rmse"].get<double>(), 0.5 * mean + 0.5) << mean << run;
  }
}

TEST_F(poisson_command, refuses_labels_below_zero) {
  const std::string data =
      rows_of_one_column(*folder / "numbers.svm", [](int row, double) { return row == 5 ? -1.0 : 1.0; });
  const outcome o = hogwild({"train", data, "--model", "poisson"});
  EXPECT_EQ(o.code, 3);
  EXPECT_NE(o.err.find("a label is -1, but poisson learns counts"), std::string::npos) << o.err;
}

}  // namespace
}  // namespace hogwild::test
