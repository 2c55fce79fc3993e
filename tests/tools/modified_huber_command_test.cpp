// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <string>

#include "small_data.hpp"

namespace hogwild::test {
namespace {

using modified_huber_command = with_small_data;

TEST_F(modified_huber_command, learns_labels_and_tells_probabilities) {
  const std::string model = *folder / "modified_huber.bin";
  const auto run = result_of(hogwild(
      {"train", train(), "--test", test(), "--model", "modified_huber", "--epochs", "10", "--save", model, "--json"}));
  // Two per cent of the labels are noise.
  EXPECT_GT(run["test_accuracy"].get<double>(), 0.8) << run;
  const auto measured = result_of(hogwild({"evaluate", model, test(), "--json"}));
  EXPECT_DOUBLE_EQ(measured["accuracy"].get<double>(), run["test_accuracy"].get<double>());
  const outcome told = hogwild({"predict", model, test(), "--probabilities"});
  ASSERT_EQ(told.code, 0) << told.err;
  for (const std::string& line : lines_of(told.out)) {
    EXPECT_GE(std::stod(line), 0.0);
    EXPECT_LE(std::stod(line), 1.0);
  }
}

}  // namespace
}  // namespace hogwild::test
