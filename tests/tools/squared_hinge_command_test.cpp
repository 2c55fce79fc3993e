// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <string>

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

}  // namespace
}  // namespace hogwild::test
