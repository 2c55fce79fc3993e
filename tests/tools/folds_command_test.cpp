// SPDX-License-Identifier: Apache-2.0
// Cross-validation, paths of l2 and an l2 chosen by folds, as the command trains, reports and saves them.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "small_data.hpp"

namespace hogwild::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class folds_command : public with_small_data {
 protected:
  static command_words words(const command_words& more) {
    return {"train", train(), "--engine serial --epochs 3", more};
  }
  static nlohmann::json trained(const command_words& more) { return result_of(words({more, "--json"})); }
  /// The metric of a search over one configuration, by as many folds.
  static double searched(const std::string& l2, const std::string& folds) {
    return result_of({"search", train(), "--epochs 3 --strategy grid --space", "l2=" + l2, "--folds", folds,
                      "--json --quiet --step 0.3"})["best"]["metric"];
  }
};

TEST_F(folds_command, folds_are_measured_as_a_search_measures_them_beside_the_run) {
  const std::string with = *folder / "with.bin", without = *folder / "without.bin";
  const auto run = trained({"--folds 4 --step 0.3 --l2 1e-4 --save", with});
  const auto alone = trained({"--step 0.3 --l2 1e-4 --save", without});
  EXPECT_EQ(read_file(with), read_file(without));
  EXPECT_EQ(run["train_loss"], alone["train_loss"]);
  EXPECT_EQ(run["folds"], 4);
  EXPECT_EQ(run["fold_losses"].size(), 4u);
  // A search has batches that are powers of two.
  EXPECT_NEAR(run["folds_loss"].get<double>(), searched("1e-4", "4"), 2e-3);
  EXPECT_GT(run["folds_accuracy"].get<double>(), 0.6);
  EXPECT_GT(run["folds_loss_deviation"].get<double>(), 0.0);
  EXPECT_FALSE(alone.contains("folds"));
  EXPECT_THAT(hogwild(words({"--folds 4"})).out, HasSubstr("\nfolds       4: loss "));
}

TEST_F(folds_command, l2_auto_trains_as_with_the_l2_that_it_has_found) {
  const std::string found = *folder / "found.bin", given = *folder / "given.bin", record = *folder / "auto.jsonl";
  const auto run = trained({"--l2 auto --save", found, "--record", record});
  ASSERT_EQ(run["l2_tried"].size(), 8u);
  EXPECT_TRUE(run["l2_found"]);
  double lowest = 1e9, best = 0.0;
  for (const auto& tried : run["l2_tried"]) {
    EXPECT_EQ(tried["folds"], 5);
    if (tried["folds_loss"] < lowest) lowest = tried["folds_loss"], best = tried["l2"];
  }
  EXPECT_EQ(run["l2"], best);
  EXPECT_TRUE(trained({"--l2 auto --validation 0.2 --min-delta 0.01"})["l2_found"]) << "folds have no validation rows";
  const auto by_hand = trained({"--l2", nlohmann::json(best).dump(), "--save", given});
  EXPECT_EQ(read_file(found), read_file(given));
  EXPECT_FALSE(by_hand["l2_found"]);
  EXPECT_THAT(read_file(record), HasSubstr("\"l2_found\":true"));
  EXPECT_EQ(trained({"--l2 auto --folds 2"})["l2_tried"][0]["folds"], 2);
  EXPECT_THAT(hogwild(words({"--l2 auto"})).out, AllOf(HasSubstr(", found by 5 folds"), HasSubstr("  taken\n")));
}

TEST_F(folds_command, a_path_is_as_runs_that_begin_with_each_other_s_models) {
  const std::string kept = *folder / "kept.bin", before = *folder / "before.bin", after = *folder / "after.bin";
  const auto run = trained({"--path l2=1e-5,1e-2,1e-3 --step 0.3 --save", kept});
  ASSERT_EQ(run["path"].size(), 3u);
  trained({"--l2 1e-2 --step 0.3 --save", before});
  for (const std::string l2 : {"1e-3", "1e-5"}) {
    const auto next = trained({"--l2", l2, "--step 0.3 --init", before, "--save", after});
    EXPECT_EQ(run["path"][l2 == "1e-3" ? 1 : 2]["train_loss"], next["train_loss"]);
    write_file(before, read_file(after));
  }
  EXPECT_EQ(read_file(kept), read_file(after)) << "the last is kept";
}

TEST_F(folds_command, a_path_keeps_the_best_by_folds_or_by_validation_rows) {
  for (const auto& [by, measure] :
       {std::pair("--folds 3", "folds_loss"), std::pair("--validation 0.3", "validation_loss")}) {
    const std::string model = *folder / "best.bin";
    const auto run = trained({by, "--path l2=log:1e-7:1:8 --test", test(), "--save", model});
    const auto& points = run["path"];
    ASSERT_EQ(points.size(), 8u);
    EXPECT_EQ(points[0]["l2"], 1.0);
    const auto best = std::min_element(points.begin(), points.end(),
                                       [&, by = measure](const auto& a, const auto& b) { return a[by] < b[by]; });
    EXPECT_EQ(run["l2"], (*best)["l2"]);
    EXPECT_EQ(run["test_loss"], (*best)["test_loss"]);
    const auto measured = result_of({"evaluate", model, test(), "--json"});
    EXPECT_NEAR(measured["loss"].get<double>(), (*best)["test_loss"].get<double>(), 1e-6);
  }
  EXPECT_THAT(hogwild(words({"--path l2=0.1,0.01 --folds 2"})).out,
              AllOf(HasSubstr("folds' loss"), HasSubstr("  taken\n")));
}

}  // namespace
}  // namespace hogwild::test
