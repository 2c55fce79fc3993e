// SPDX-License-Identifier: Apache-2.0
// Rows with several labels from end to end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command.hpp"

namespace hogwild::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

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
  nlohmann::json result_of(const std::vector<std::string>& words) {
    const outcome o = hogwild(words);
    EXPECT_EQ(o.code, 0) << o.err;
    return o.code == 0 ? nlohmann::json::parse(o.out) : nlohmann::json();
  }
  nlohmann::json trained(const std::vector<std::string>& more) {
    std::vector<std::string> words{"train", train, "--test", test, "--model", "softmax", "--epochs", "12", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return result_of(words);
  }
  std::string refusal(const std::vector<std::string>& words) {
    const outcome o = hogwild(words);
    EXPECT_TRUE(o.code == 2 || o.code == 3) << o.code;
    return o.err;
  }

  const scratch_folder folder;
  const std::string train = folder.write("train.svm", rows_of_lists(0, 600));
  const std::string test = folder.write("test.svm", rows_of_lists(600, 800));
  const std::string model = folder / "model.txt";
};

TEST_F(label_lists_command, every_engine_finds_the_labels_and_evaluate_measures_the_same) {
  for (const std::vector<std::string>& engine : {std::vector<std::string>{"--engine", "serial"},
                                                 {"--engine", "threads", "--workers", "2"},
                                                 {"--engine", "threads", "--workers", "2", "--sharing", "direct"},
                                                 {"--engine", "processes", "--workers", "2"},
                                                 {"--engine", "ring", "--workers", "2"},
                                                 {"--engine", "all_reduce", "--workers", "2"}})
    for (const char* const loss : {"softmax", "one_vs_rest"}) {
      std::vector<std::string> words = engine;
      words.insert(words.end(), {"--class-loss", loss, "--save", model});
      const nlohmann::json run = trained(words);
      // Both labels have a column of their own, and no other label has either.
      EXPECT_EQ(run["test_precision_at_1"], 1.0) << engine[1] << " " << loss;
      EXPECT_GT(run["test_micro_f1"].get<double>(), 0.95) << engine[1] << " " << loss;
      EXPECT_NEAR(run["test_precision_at_3"].get<double>(), 2.0 / 3, 0.01);
      EXPECT_FALSE(run.contains("test_accuracy"));
      const nlohmann::json measured = result_of({"evaluate", model, test, "--json"});
      for (const char* const name : list_measures)
        EXPECT_NEAR(measured[name].get<double>(), run["test_" + std::string(name)].get<double>(), 1e-6)
            << engine[1] << " " << loss << " " << name;
    }
}

TEST_F(label_lists_command, nets_find_the_labels_and_evaluate_measures_the_same) {
  for (const std::vector<std::string>& form : {std::vector<std::string>{},
                                               {"--samples", "3", "--engine", "processes", "--workers", "2"},
                                               {"--class-loss", "one_vs_rest"},
                                               {"--class-loss", "one_vs_rest", "--samples", "5"},
                                               {"--hierarchical"}}) {
    std::vector<std::string> words{"train",   train,         "--test", test,     "--model", "mlp",      "--hidden",
                                   "16",      "--optimizer", "adam",   "--step", "0.02",    "--epochs", "20",
                                   "--batch", "16",          "--save", model,    "--json",  "--quiet"};
    words.insert(words.end(), form.begin(), form.end());
    const nlohmann::json run = result_of(words);
    const std::string which = form.empty() ? "plain" : form.back();
    EXPECT_GT(run["test_precision_at_1"].get<double>(), 0.98) << which;
    EXPECT_GT(run["test_micro_f1"].get<double>(), 0.8) << which;
    const nlohmann::json measured = result_of({"evaluate", model, test, "--json"});
    for (const char* const name : list_measures)
      EXPECT_NEAR(measured[name].get<double>(), run["test_" + std::string(name)].get<double>(), 1e-4)
          << which << " " << name;
    const std::string best = lines_of(hogwild({"predict", model, test, "--top", "2", "--probabilities"}).out).at(0);
    EXPECT_EQ(std::ranges::count(best, ':'), 2) << best;
  }
  EXPECT_THAT(refusal({"train", train, "--model", "mlp", "--hierarchical", "--class-loss", "one_vs_rest"}),
              HasSubstr("leave out one of them"));
  EXPECT_EQ(result_of({"train", train, "--test", test, "--model", "mlp", "--optimizer", "adam", "--step", "0.02",
                       "--epochs", "40", "--target", "test_precision_at_1=0.9", "--json"})["status"],
            "target");
}

TEST_F(label_lists_command, predict_names_the_best_labels) {
  trained({"--class-loss", "one_vs_rest", "--save", model});
  const std::string rows = folder.write("rows.svm", "1:1 4:1\n50 6:1\n");
  const auto best = lines_of(hogwild({"predict", model, rows, "--top", "2"}).out);
  ASSERT_EQ(best.size(), 2u);
  EXPECT_TRUE(best[0] == "0 30" || best[0] == "30 0") << best[0];
  EXPECT_THAT(best[1], ::testing::StartsWith("50 "));
  const auto row = nlohmann::json::parse(
      lines_of(hogwild({"predict", model, rows, "--top", "9", "--json", "--probabilities"}).out).at(0));
  ASSERT_EQ(row["labels"].size(), 8u);  // there are no more
  const std::vector<double> probable = row["probabilities"];
  EXPECT_TRUE(std::is_sorted(probable.rbegin(), probable.rend()));
  EXPECT_GT(probable[1], 0.5);  // each by itself
  EXPECT_LT(probable[2], 0.5);
  const std::string with = lines_of(hogwild({"predict", model, rows, "--top", "1", "--probabilities"}).out).at(1);
  EXPECT_THAT(with, ::testing::StartsWith("50:0.9"));
}

TEST_F(label_lists_command, targets_and_records_know_the_measures) {
  const std::string record = folder / "run.jsonl";
  const nlohmann::json run = trained({"--target", "test_precision_at_1=0.99", "--record", record});
  EXPECT_EQ(run["status"], "target");
  const auto last = nlohmann::json::parse(lines_of(read_file(record)).back());
  for (const char* const name : list_measures)
    EXPECT_EQ(last["test_" + std::string(name)], run["test_" + std::string(name)]) << name;
  const std::string one = folder.write("one.svm", "0 1:1\n10 2:1\n");
  EXPECT_THAT(refusal({"train", one, "--test", one, "--model", "softmax", "--target", "test_micro_f1=0.9"}),
              HasSubstr("test_micro_f1 is not measured on rows of "));
  EXPECT_THAT(refusal({"train", train, "--test", test, "--model", "softmax", "--target", "test_accuracy=0.9"}),
              HasSubstr("take one of train_loss, objective, test_loss, test_precision_at_1"));
}

TEST_F(label_lists_command, what_takes_one_label_says_so) {
  for (const char* const other : {"logistic", "least_squares", "factorization_machine"})
    EXPECT_THAT(refusal({"train", train, "--model", other}), HasSubstr("softmax and mlp take lists")) << other;
  const std::string one = folder.write("one.svm", "0 1:1\n10 2:1\n0 3:1\n10 4:1\n");
  EXPECT_EQ(hogwild({"train", one, "--model", "logistic", "--save", model}).code, 0);
  EXPECT_THAT(refusal({"evaluate", model, test}), HasSubstr("rows have lists of labels"));
  EXPECT_THAT(refusal({"predict", model, test, "--top", "2"}), HasSubstr("does not score classes"));
  EXPECT_THAT(refusal({"train", one, "--test", test, "--model", "logistic"}), HasSubstr("rows have lists of labels"));
  // A test file may have labels that training never had.
  trained({"--save", model});
  EXPECT_THAT(refusal({"evaluate", model, folder.write("new.svm", "0,11 1:1\n")}),
              HasSubstr("row 1 has the label 11, which the training data never had"));
}

TEST_F(label_lists_command, one_vs_rest_takes_rows_of_one_label_too) {
  std::string text;
  for (int n = 0; n < 300; ++n) text += std::to_string(n % 3) + " " + std::to_string(n % 3 + 1) + ":1\n";
  const std::string one = folder.write("one.svm", text);
  const nlohmann::json run = result_of({"train", one, "--test", one, "--model", "softmax", "--class-loss",
                                        "one_vs_rest", "--epochs", "10", "--save", model, "--json"});
  EXPECT_EQ(run["test_accuracy"], 1.0);
  EXPECT_FALSE(run.contains("test_precision_at_1"));
  EXPECT_EQ(result_of({"evaluate", model, one, "--json"})["accuracy"], 1.0);
  EXPECT_THAT(lines_of(hogwild({"predict", model, one}).out).at(0), "0");
}

TEST_F(label_lists_command, inspect_counts_them) {
  trained({});
  const auto found = nlohmann::json::parse(hogwild({"inspect", train + ".hogwild", "--json"}).out);
  EXPECT_EQ(found["labels"]["lists"], 1200);
  EXPECT_EQ(found["labels"]["different"], 8);
}

}  // namespace
}  // namespace hogwild::test
