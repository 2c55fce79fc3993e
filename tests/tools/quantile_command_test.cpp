// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <string>

#include "small_data.hpp"

namespace hogwild::test {
namespace {

using quantile_command = with_small_data;

// Labels lie between 1 + x and 3 + x, evenly, whatever x is.
TEST_F(quantile_command, has_the_asked_fraction_of_labels_below) {
  const std::string data = rows_of_one_column(
      *folder / "numbers.svm", [](int row, double x) { return 1.0 + x + (row % 23 + 0.5) * 2.0 / 23.0; });
  for (const double q : {0.1, 0.5, 0.9}) {
    const std::string model = *folder / ("quantile" + std::to_string(q) + ".txt");
    result_of(hogwild({"train", data, "--model", "quantile", "--quantile", std::to_string(q), "--bias", "--epochs",
                       "60", "--l2", "0", "--save", model, "--json"}));
    const outcome told = hogwild({"predict", model, data});
    ASSERT_EQ(told.code, 0) << told.err;
    const auto predicted = lines_of(told.out), rows = lines_of(read_file(data));
    double below = 0.0;
    for (std::size_t r = 0; r < predicted.size(); ++r) below += std::stod(rows[r]) < std::stod(predicted[r]) ? 1 : 0;
    EXPECT_NEAR(below / static_cast<double>(predicted.size()), q, 0.06) << q;
    EXPECT_EQ(hogwild({"evaluate", model, data}).code, 0);
  }
}

TEST_F(quantile_command, refuses_other_fractions) {
  const std::string data = rows_of_one_column(*folder / "few.svm", [](int, double x) { return x; });
  const outcome o = hogwild({"train", data, "--model", "quantile", "--quantile", "1"});
  EXPECT_EQ(o.code, 2);
  EXPECT_NE(o.err.find("the quantile of quantile must be between 0 and 1"), std::string::npos) << o.err;
}

}  // namespace
}  // namespace hogwild::test
