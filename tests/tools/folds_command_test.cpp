// SPDX-License-Identifier: Apache-2.0
// Cross-validation, paths of l2 and an l2 chosen by folds, as the command trains, tells and saves them.
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
  static std::vector<std::string> words(const std::vector<std::string>& more) {
    std::vector<std::string> all{"train", train(), "--engine", "serial", "--epochs", "3"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  static nlohmann::json trained(std::vector<std::string> more) {
    more.emplace_back("--json");
    return result_of(hogwild(words(more)));
  }
  /// The metric of a search over one configuration, by as many folds.
  static double searched(const std::string& l2, const std::string& folds) {
    return result_of(hogwild({"search", train(), "--epochs", "3", "--strategy", "grid", "--space", "l2=" + l2,
                              "--folds", folds, "--json", "--quiet", "--step", "0.3"}))["best"]["metric"];
  }
};

TEST_F(folds_command, folds_are_measured_as_a_search_measures_them_beside_the_run) {
  const std::string with = *folder / "with.bin", without = *folder / "without.bin";
  const auto run = trained({"--folds", "4", "--step", "0.3", "--l2", "1e-4", "--save", with});
  const auto alone = trained({"--step", "0.3", "--l2", "1e-4", "--save", without});
  EXPECT_EQ(read_file(with), read_file(without));
  EXPECT_EQ(run["train_loss"], alone["train_loss"]);
  EXPECT_EQ(run["folds"], 4);
  EXPECT_EQ(run["fold_losses"].size(), 4u);
  // A search has batches that are powers of two.
  EXPECT_NEAR(run["folds_loss"].get<double>(), searched("1e-4", "4"), 2e-3);
  EXPECT_GT(run["folds_accuracy"].get<double>(), 0.6);
  EXPECT_GT(run["folds_loss_deviation"].get<double>(), 0.0);
  EXPECT_FALSE(alone.contains("folds"));
  EXPECT_THAT(hogwild(words({"--folds", "4"})).out, HasSubstr("\nfolds       4: loss "));
}

TEST_F(folds_command, l2_auto_trains_as_with_the_l2_that_it_has_found) {
  const std::string found = *folder / "found.bin", given = *folder / "given.bin", record = *folder / "auto.jsonl";
  const auto run = trained({"--l2", "auto", "--save", found, "--record", record});
  ASSERT_EQ(run["l2_tried"].size(), 8u);
  EXPECT_TRUE(run["l2_found"]);
  double lowest = 1e9, best = 0.0;
  for (const auto& tried : run["l2_tried"]) {
    EXPECT_EQ(tried["folds"], 5);
    if (tried["folds_loss"] < lowest) lowest = tried["folds_loss"], best = tried["l2"];
  }
  EXPECT_EQ(run["l2"], best);
  const auto by_hand = trained({"--l2", nlohmann::json(best).dump(), "--save", given});
  EXPECT_EQ(read_file(found), read_file(given));
  EXPECT_FALSE(by_hand["l2_found"]);
  EXPECT_THAT(read_file(record), HasSubstr("\"l2_found\":true"));
  EXPECT_EQ(trained({"--l2", "auto", "--folds", "2"})["l2_tried"][0]["folds"], 2);
  EXPECT_THAT(hogwild(words({"--l2", "auto"})).out, AllOf(HasSubstr(", found by 5 folds"), HasSubstr("  taken\n")));
}

TEST_F(folds_command, a_path_is_as_runs_that_begin_with_each_other_s_models) {
  const std::string kept = *folder / "kept.bin", before = *folder / "before.bin", after = *folder / "after.bin";
  const auto run = trained({"--path", "l2=1e-5,1e-2,1e-3", "--step", "0.3", "--save", kept});
  ASSERT_EQ(run["path"].size(), 3u);
  trained({"--l2", "1e-2", "--step", "0.3", "--save", before});
  for (const std::string l2 : {"1e-3", "1e-5"}) {
    const auto next = trained({"--l2", l2, "--step", "0.3", "--init", before, "--save", after});
    EXPECT_EQ(run["path"][l2 == "1e-3" ? 1 : 2]["train_loss"], next["train_loss"]);
    write_file(before, read_file(after));
  }
  EXPECT_EQ(read_file(kept), read_file(after)) << "the last is kept";
}

TEST_F(folds_command, a_path_keeps_the_best_by_folds_or_by_validation_rows) {
  for (const std::vector<std::string>& by : {std::vector<std::string>{"--folds", "3"}, {"--validation", "0.3"}}) {
    const std::string model = *folder / "best.bin", measure = by[0] == "--folds" ? "folds_loss" : "validation_loss";
    std::vector<std::string> more = by;
    more.insert(more.end(), {"--path", "l2=log:1e-7:1:8", "--test", test(), "--save", model});
    const auto run = trained(more);
    const auto& points = run["path"];
    ASSERT_EQ(points.size(), 8u);
    EXPECT_EQ(points[0]["l2"], 1.0);
    const auto best = std::min_element(points.begin(), points.end(),
                                       [&](const auto& a, const auto& b) { return a[measure] < b[measure]; });
    EXPECT_EQ(run["l2"], (*best)["l2"]);
    EXPECT_EQ(run["test_loss"], (*best)["test_loss"]);
    const auto measured = result_of(hogwild({"evaluate", model, test(), "--json"}));
    EXPECT_NEAR(measured["loss"].get<double>(), (*best)["test_loss"].get<double>(), 1e-6);
  }
  EXPECT_THAT(hogwild(words({"--path", "l2=0.1,0.01", "--folds", "2"})).out,
              AllOf(HasSubstr("folds' loss"), HasSubstr("  taken\n")));
}

TEST_F(folds_command, what_is_wrong_with_folds_is_a_sentence) {
  const std::string few = *folder / "few.svm";
  write_file(few, "1 1:1\n0 1:2\n0 2:1\n0 3:1\n");
  const auto refused = [&](const std::vector<std::string>& more, int code, const std::string& sentence) {
    std::vector<std::string> all{"train", few};
    all.insert(all.end(), more.begin(), more.end());
    const outcome o = hogwild(all);
    EXPECT_EQ(o.code, code) << o.err;
    EXPECT_EQ(o.out, "");
    EXPECT_THAT(o.err, HasSubstr(sentence));
  };
  for (const std::vector<std::string>& with : {std::vector<std::string>{}, {"--path", "l2=1,2"}, {"--l2", "auto"}}) {
    std::vector<std::string> three = with, five = with;
    three.insert(three.end(), {"--folds", "3"});
    five.insert(five.end(), {"--folds", "5"});
    refused(three, 3, "the label 1 has 1 row, fewer than the 3 folds");
    refused(five, 2, "more folds, 5, than rows, 4");
  }
  refused({"--folds", "1"}, 2, "--folds 1: at least two are needed");
  refused({"--folds", "2", "--max-seconds", "9"}, 2, "--max-seconds is of one run, and --folds is many");
  refused({"--l2", "auto", "--max-seconds", "9"}, 2, "--max-seconds is of one run, and --l2 auto is many");
  refused({"--folds", "2", "--validation", "0.5"}, 2, "--validation excludes --folds");
  refused({"--folds", "2", "--schedule", "plateau"}, 2, "--schedule plateau goes by validation rows");
  refused({"--folds", "2", "--ensemble", "2"}, 2, "--folds is for one model");
  refused({"--l2", "auto", "--multiclass", "ovr"}, 2, "--l2 auto is for one model");
  refused({"--l2", "auto", "--resume", few}, 3, "not a checkpoint");
  refused({"--folds", "2", "--model", "cbow"}, 2, "words, which have no labels");
  refused({"--folds", "2", "--model", "graph_cut"}, 2, "a graph as a whole");
  refused({"--path", "l2="}, 2, "has no values");
  refused({"--path", "l2=2:1:3"}, 2, "is upside down");
  refused({"--path", "l2=1:2"}, 2, "a number of points");
  refused({"--path", "step=1,2"}, 2, "--path is of l2");
  refused({"--path", "l2=1,x"}, 2, "'x' is no number of at least 0");
  refused({"--path", "l2=1,-1"}, 2, "'-1' is no number of at least 0");
  for (const std::string name : {"--l2", "--record", "--checkpoint", "--resume"})
    refused({"--path", "l2=1,2", name, "1"}, 2, name + " is of one run");
  refused({"--l2", "some"}, 2, "'some' is neither 'auto' nor a number");
  const outcome stream = hogwild({"train", "-", "--stream", "--path", "l2=1"});
  EXPECT_EQ(stream.code, 2);
  EXPECT_THAT(stream.err, HasSubstr("a stream has each once"));
  const outcome advice = hogwild({"advise", few, "--l2", "auto"});
  EXPECT_EQ(advice.code, 2);
  EXPECT_THAT(advice.err, HasSubstr("--l2 auto is not for advice"));
}

}  // namespace
}  // namespace hogwild::test
