// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

#include "small_data.hpp"

namespace hogwild::test {
namespace {

using squared_hinge_command = with_small_data;

TEST_F(squared_hinge_command, separates_what_a_hyperplane_separates) {
  const std::string model = *folder / "squared_hinge.txt";
  const auto run = result_of(hogwild({"train", train(), "--test", test(), "--model", "squared_hinge", "--epochs", "10",
                                      "--engine", "threads", "--workers", "2", "--save", model, "--json"}));
  // Two per cent of the labels are noise.
  EXPECT_GT(run["test_accuracy"].get<double>(), 0.8) << run;
  const auto measured = result_of(hogwild({"evaluate", model, test(), "--json"}));
  EXPECT_EQ(measured["model"], "squared_hinge");
  EXPECT_DOUBLE_EQ(measured["accuracy"].get<double>(), run["test_accuracy"].get<double>());
  EXPECT_EQ(lines_of(hogwild({"predict", model, test()}).out).size(), measured["rows"].get<std::size_t>());
}

// All optimisers reach the same objective, with several workers, and from a saved state, too.
TEST_F(squared_hinge_command, is_trained_by_every_optimiser) {
  for (const auto& [optimizer, step] : {std::pair{"adagrad", "0.1"}, std::pair{"row_adagrad", "0.1"},
                                        std::pair{"momentum", "0.01"}, std::pair{"adam", "0.01"}}) {
    const std::string state = *folder / optimizer;
    const std::vector<std::string> line{"train",       train(),   "--test",       test(), "--model", "squared_hinge",
                                        "--engine",    "threads", "--workers",    "2",    "--step",  step,
                                        "--optimizer", optimizer, "--checkpoint", state,  "--json"};
    const auto with = [&](std::vector<std::string> more) {
      more.insert(more.begin(), line.begin(), line.end());
      return result_of(hogwild(more));
    };
    EXPECT_GT(with({"--epochs", "5"})["test_accuracy"].get<double>(), 0.8) << optimizer;
    const auto on = with({"--epochs", "8", "--resume", state});
    EXPECT_GT(on["test_accuracy"].get<double>(), 0.8) << optimizer;
    EXPECT_EQ(on["epochs"], 8) << optimizer;
  }
}

}  // namespace
}  // namespace hogwild::test
