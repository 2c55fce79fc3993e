// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <cmath>
#include <string>

#include "small_data.hpp"

namespace hogwild::test {
namespace {

using epsilon_command = with_small_data;

// Labels lie within 0.25 of 1 + 2 x, so that a tube of that width costs nothing.
TEST_F(epsilon_command, finds_the_tube_that_holds_all_labels) {
  const std::string data = rows_of_one_column(
      *folder / "tube.svm", [](int row, double x) { return 1.0 + 2.0 * x + ((row * 7) % 11 - 5) * 0.05; });
  for (const char* const name : {"epsilon_insensitive", "squared_epsilon_insensitive"}) {
    const std::string model = *folder / (std::string(name) + ".txt");
    result_of(hogwild({"train", data, "--model", name, "--epsilon", "0.25", "--bias", "--epochs", "60", "--l2", "0",
                       "--save", model, "--json"}));
    const outcome told = hogwild({"predict", model, data});
    ASSERT_EQ(told.code, 0) << told.err;
    const auto predicted = lines_of(told.out), rows = lines_of(read_file(data));
    for (std::size_t r = 0; r < predicted.size(); ++r)
      ASSERT_LE(std::abs(std::stod(rows[r]) - std::stod(predicted[r])), 0.35) << name;
    EXPECT_EQ(hogwild({"evaluate", model, data}).code, 0);
  }
}

TEST_F(epsilon_command, refuses_less_than_nothing) {
  const std::string data = rows_of_one_column(*folder / "few.svm", [](int, double x) { return x; });
  const outcome o = hogwild({"train", data, "--model", "squared_epsilon_insensitive", "--epsilon", "-0.1"});
  EXPECT_EQ(o.code, 2);
  EXPECT_NE(o.err.find("the epsilon of squared_epsilon_insensitive must be at least 0"), std::string::npos) << o.err;
}

}  // namespace
}  // namespace hogwild::test
