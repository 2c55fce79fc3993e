// SPDX-License-Identifier: Apache-2.0
#include "rivals/quality.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "rivals/rival.hpp"
#include "support/scratch_folder.hpp"

namespace hogwild::bench {
namespace {

using test::scratch_folder;

const model_settings reference{.model = "hinge_svm", .l2 = 0.5, .objective = 0.200, .test_accuracy = 0.90};

std::string fault(const std::optional<double>& objective, const std::optional<double>& accuracy, bool same) {
  return fault_of_quality(objective, accuracy, same, reference, 0.005, 0.005);
}

TEST(rival_quality, the_same_objective_may_be_lower_but_not_much_higher) {
  EXPECT_EQ(fault(0.2009, {}, true), "");
  EXPECT_EQ(fault(0.150, {}, true), "");
  EXPECT_NE(fault(0.2011, 0.99, true), "");
  EXPECT_NE(fault(std::numeric_limits<double>::infinity(), 0.99, true), "");
}

TEST(rival_quality, another_objective_is_evaluated_by_test_accuracy) {
  EXPECT_EQ(fault(9.0, 0.896, false), "");
  EXPECT_NE(fault(0.1, 0.894, false), "");
  EXPECT_EQ(fault({}, 0.95, true), "") << "no objective told";
  EXPECT_NE(fault({}, {}, true), "") << "nothing told";
}

/// One row each: w = (2, 1), on column 1 with label 1 and on column 2 with label -1.
TEST(rival_quality, weights_are_measured_by_our_own_loss) {
  const scratch_folder folder;
  std::ofstream(folder.path() / "train") << "1 1:1\n-1 2:1\n";
  std::ofstream(folder.path() / "test") << "1 1:1\n1 2:1\n-1 2:1\n-1 1:1 2:-3\n";
  bench_options o;
  o.train = (folder.path() / "train").string();
  o.test = (folder.path() / "test").string();
  const workload data(o);
  const std::vector<double> by_number{0.0, 2.0, 1.0};
  const std::vector<float> w = exported_columns(data.train().numbering().original()).by_position(by_number);
  const model_quality hinge = measure_quality(reference, w, data);
  EXPECT_NEAR(hinge.objective, (0.0 + 2.0) / 2 + 0.25 * 5.0, 1e-6);
  EXPECT_NEAR(hinge.test_accuracy.value(), 0.75, 1e-12);
  const model_quality logistic = measure_quality({.model = "logistic"}, w, data);
  EXPECT_NEAR(logistic.objective, (std::log1p(std::exp(-2.0)) + std::log1p(std::exp(1.0))) / 2, 1e-6);
}

TEST(rival_quality, names_of_rivals_are_expanded_and_checked) {
  EXPECT_EQ(expand_rivals({"vw", "hazy"}), (std::vector<std::string>{"vw", "hazy"}));
  EXPECT_EQ(expand_rivals({"all"}).size(), 6u);
  EXPECT_ANY_THROW(expand_rivals({"nobody"}));
}

}  // namespace
}  // namespace hogwild::bench
