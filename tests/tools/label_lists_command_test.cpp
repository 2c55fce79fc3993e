// SPDX-License-Identifier: Apache-2.0
// Rows with several labels from end to end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "command.hpp"

namespace hogwild::test {
namespace {

constexpr const char* list_measures[] = {"loss",           "precision_at_1", "precision_at_3",
                                         "precision_at_5", "micro_f1",       "macro_f1"};

/// Row n has the labels 10 k for each k of its two or three columns; there are as many columns as classes.
std::string rows_of_lists(int first, int last) {
  constexpr int classes = 8;
  std::string text;
  for (int n = first; n < last; ++n) {
    const int a = n % classes, b = n * 7 % 5 + 1, c = (a + b) % classes;
    const int low = std::min(a, c), high = std::max(a, c);
    text += std::to_string(10 * high) + "," + std::to_string(10 * low) + " " + std::to_string(low + 1) + ":1 " +
            std::to_string(high + 1) + ":1 " + std::to_string(classes + 1 + n % 13) + ":0.25\n";
  }
  return text;
}

class label_lists_command : public ::testing::Test {
 protected:
  nlohmann::json trained(const command_words& more) {
    return result_of({"train", train, "--test", test, "--model softmax --epochs 12 --json", more});
  }

  const scratch_folder folder;
  const std::string train = folder.write("train.svm", rows_of_lists(0, 600));
  const std::string test = folder.write("test.svm", rows_of_lists(600, 800));
  const std::string model = folder / "model.txt";
};

TEST_F(label_lists_command, every_engine_finds_the_labels_and_evaluate_measures_the_same) {
  for (const char* const engine : {"serial", "threads --workers 2", "threads --workers 2 --sharing direct",
                                   "processes --workers 2", "ring --workers 2", "all_reduce --workers 2"})
    for (const char* const loss : {"softmax", "one_vs_rest"}) {
      SCOPED_TRACE(std::string(engine) + " " + loss);
      const nlohmann::json run = trained({"--class-loss", loss, "--save", model, "--engine", engine});
      // Both labels have a column of their own, and no other label has either.
      EXPECT_EQ(run["test_precision_at_1"], 1.0);
      EXPECT_GT(run["test_micro_f1"].get<double>(), 0.95);
      EXPECT_NEAR(run["test_precision_at_3"].get<double>(), 2.0 / 3, 0.01);
      EXPECT_FALSE(run.contains("test_accuracy"));
      const nlohmann::json measured = expect_measured_alike(run, model, test);
      for (const char* const name : list_measures) EXPECT_TRUE(measured.contains(name)) << name;
    }
}

TEST_F(label_lists_command, nets_find_the_labels_and_evaluate_measures_the_same) {
  const command_words net{"train", train, "--test", test, "--model mlp --optimizer adam --step 0.02 --json --quiet"};
  for (const char* const form : {"", "--samples 3 --engine processes --workers 2", "--class-loss one_vs_rest",
                                 "--class-loss one_vs_rest --samples 5", "--hierarchical"}) {
    SCOPED_TRACE(form);
    const nlohmann::json run = result_of({net, "--hidden 16 --epochs 20 --batch 16 --save", model, form});
    EXPECT_GT(run["test_precision_at_1"].get<double>(), 0.98);
    EXPECT_GT(run["test_micro_f1"].get<double>(), 0.8);
    const nlohmann::json measured = expect_measured_alike(run, model, test, 1e-4);
    for (const char* const name : list_measures) EXPECT_TRUE(measured.contains(name)) << name;
    const std::string best = lines_of(hogwild({"predict", model, test, "--top 2 --probabilities"}).out).at(0);
    EXPECT_EQ(std::ranges::count(best, ':'), 2) << best;
  }
  EXPECT_EQ(result_of({net, "--epochs 40 --target test_precision_at_1=0.9"})["status"], "target");
}

TEST_F(label_lists_command, label_trees_find_the_labels_and_evaluate_measures_the_same) {
  for (const char* const form :
       {"", "--leaves 2", "--leaves 2 --engine processes --workers 2", "--leaves 3 --no-bias",
        "--leaves 2 --engine threads --workers 2 --sharing buffered", "--leaves 2 --engine ring --workers 2"}) {
    SCOPED_TRACE(form);
    const nlohmann::json run = trained({"--class-loss label_tree --quiet --save", model, form});
    EXPECT_EQ(run["class_loss"], "label_tree");
    EXPECT_GT(run["test_precision_at_1"].get<double>(), 0.98);
    EXPECT_GT(run["test_psp_at_1"].get<double>(), 0.9);
    const nlohmann::json measured = expect_measured_alike(run, model, test, 1e-4);
    for (const char* const name : list_measures) EXPECT_TRUE(measured.contains(name)) << name;
    const nlohmann::json again = result_of(
        {"train", train, "--test", test, "--model label_tree --epochs 1 --step 1e-9", "--json --quiet --init", model});
    EXPECT_NEAR(again["test_loss"].get<double>(), run["test_loss"].get<double>(), 1e-4);
  }
  const std::string rows = folder.write("rows.svm", "1:1 4:1\n50 6:1\n");
  const auto best = lines_of(hogwild({"predict", model, rows, "--top 2"}).out);
  EXPECT_TRUE(best.at(0) == "0 30" || best.at(0) == "30 0") << best.at(0);
  const auto row =
      nlohmann::json::parse(lines_of(hogwild({"predict", model, rows, "--top 9 --json --probabilities"}).out).at(0));
  ASSERT_EQ(row["labels"].size(), 8u);
  const std::vector<double> probable = row["probabilities"];
  EXPECT_TRUE(std::is_sorted(probable.rbegin(), probable.rend()));
  EXPECT_GT(probable[1], 0.5);
  EXPECT_LT(probable[2], 0.5);
}

// Without --epochs it is the tree's number.
TEST_F(label_lists_command, label_trees_have_epochs_of_their_own) {
  const auto run = result_of({"train", train, "--model softmax --class-loss label_tree --json --quiet"});
  EXPECT_EQ(run["epochs"], 8);
  EXPECT_EQ(run["class_loss"], "label_tree");
  EXPECT_EQ(run["schedule"], "linear");
}

TEST_F(label_lists_command, predict_names_the_best_labels) {
  trained({"--class-loss one_vs_rest --save", model});
  const std::string rows = folder.write("rows.svm", "1:1 4:1\n50 6:1\n");
  const auto best = lines_of(hogwild({"predict", model, rows, "--top 2"}).out);
  ASSERT_EQ(best.size(), 2u);
  EXPECT_TRUE(best[0] == "0 30" || best[0] == "30 0") << best[0];
  EXPECT_THAT(best[1], ::testing::StartsWith("50 "));
  const auto row =
      nlohmann::json::parse(lines_of(hogwild({"predict", model, rows, "--top 9 --json --probabilities"}).out).at(0));
  ASSERT_EQ(row["labels"].size(), 8u);  // there are no more
  const std::vector<double> probable = row["probabilities"];
  EXPECT_TRUE(std::is_sorted(probable.rbegin(), probable.rend()));
  EXPECT_GT(probable[1], 0.5);  // each by itself
  EXPECT_LT(probable[2], 0.5);
  const std::string with = lines_of(hogwild({"predict", model, rows, "--top 1 --probabilities"}).out).at(1);
  EXPECT_THAT(with, ::testing::StartsWith("50:0.9"));
}

TEST_F(label_lists_command, targets_and_records_know_the_measures) {
  const std::string record = folder / "run.jsonl";
  const nlohmann::json run = trained({"--target test_precision_at_1=0.99 --record", record});
  EXPECT_EQ(run["status"], "target");
  const auto last = record_in(record).back();
  for (const char* const name : list_measures)
    EXPECT_EQ(last["test_" + std::string(name)], run["test_" + std::string(name)]) << name;
}

TEST_F(label_lists_command, validation_rows_are_compared_by_a_measure_of_lists) {
  const std::string record = folder / "run.jsonl";
  const nlohmann::json run = trained({"--validation 0.2 --stop-by psp_at_3 --record", record});
  double best = 0.0;
  for (const nlohmann::json& line : record_in(record))
    if (line["kind"] == "epoch") best = std::max(best, line.at("validation_psp_at_3").get<double>());
  EXPECT_EQ(run["validation_psp_at_3"], best);
  EXPECT_THAT(hogwild({"train", train, "--model softmax --validation 0.2 --stop-by accuracy"}).err,
              ::testing::HasSubstr("'accuracy' is not measured on rows with lists of labels"));
  EXPECT_EQ(result_of({"train", train, "--model softmax --class-loss one_vs_rest --validation 0.2 --target",
                       "validation_precision_at_1=0.1 --json --quiet"})["status"],
            "target");
}

TEST_F(label_lists_command, one_vs_rest_takes_rows_of_one_label_too) {
  std::string text;
  for (int n = 0; n < 300; ++n) text += std::to_string(n % 3) + " " + std::to_string(n % 3 + 1) + ":1\n";
  const std::string one = folder.write("one.svm", text);
  const nlohmann::json run = result_of(
      {"train", one, "--test", one, "--model softmax --class-loss one_vs_rest --epochs 10 --save", model, "--json"});
  EXPECT_EQ(run["test_accuracy"], 1.0);
  EXPECT_FALSE(run.contains("test_precision_at_1"));
  EXPECT_EQ(result_of({"evaluate", model, one, "--json"})["accuracy"], 1.0);
  EXPECT_THAT(lines_of(hogwild({"predict", model, one}).out).at(0), "0");
}

// The test data of a small part of the labels may have no row with two.
TEST_F(label_lists_command, test_rows_may_have_no_label_where_training_rows_have_lists) {
  const std::string few = folder.write("few.svm", "10 2:1 3:1\n 9:0.25\n20 3:1 4:1\n");
  for (const char* const name : {"softmax", "text_classifier", "mlp --hidden 4"}) {
    SCOPED_TRACE(name);
    const nlohmann::json run = result_of(
        {"train", train, "--test", few, "--model", name, "--class-loss one_vs_rest --epochs 12 --json --save", model});
    EXPECT_TRUE(run.contains("test_micro_f1"));
    EXPECT_FALSE(run.contains("test_accuracy"));
    EXPECT_TRUE(expect_measured_alike(run, model, few).contains("micro_f1"));
  }
  const nlohmann::json tree = result_of(
      {"train", train, "--test", few, "--model softmax --class-loss label_tree --epochs 12 --json --save", model});
  EXPECT_TRUE(expect_measured_alike(tree, model, few, 1e-4).contains("micro_f1"));
  const std::string one = folder.write("one.svm", "10 2:1\n20 3:1\n10 2:1\n");
  const outcome refused = hogwild({"train", one, "--test", few, "--model softmax"});
  EXPECT_EQ(refused.code, 3);
  EXPECT_THAT(refused.err, ::testing::HasSubstr("few.svm:2:2: the line begins with '9:0.25' and not with a label"));
  const outcome no_class =
      hogwild({"train", train, "--test", folder.write("bad.svm", "10 2:1\n 3:1\n1.5 3:1\n"), "--model softmax"});
  EXPECT_EQ(no_class.code, 3);
  EXPECT_THAT(no_class.err, ::testing::HasSubstr("bad.svm:3:1: the label '1.5' is no whole number, but line 2 has no"));
}

TEST_F(label_lists_command, inspect_counts_them) {
  trained({});
  const auto found = result_of({"inspect", train + ".hogwild", "--json"});
  EXPECT_EQ(found["labels"]["lists"], 1200);
  EXPECT_EQ(found["labels"]["different"], 8);
}

}  // namespace
}  // namespace hogwild::test
