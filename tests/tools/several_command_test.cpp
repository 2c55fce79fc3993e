// SPDX-License-Identifier: Apache-2.0
// One class against the rest and ensembles, as the command trains, saves and measures them.
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "small_data.hpp"
#include "support/eventually.hpp"

namespace hogwild::test {
namespace {

using ::testing::HasSubstr;

/// Rows of five classes, 2, 3, 5, 7 and 11, by the nearest of as many planted directions.
class several_command : public with_small_data {
 protected:
  static constexpr int classes = 5;
  static constexpr int columns = 150;  ///< more than kernels of one model hold in registers, which round differently
  static constexpr int labels[classes] = {2, 3, 5, 7, 11};

  static std::string rows_of_classes(const std::string& name, int rows, unsigned seed) {
    std::mt19937 planted(4), random(seed);
    std::normal_distribution<double> normal;
    double w[classes][columns];
    for (auto& of_class : w)
      for (double& x : of_class) x = normal(planted);
    std::string text;
    for (int r = 0; r < rows; ++r) {
      double score[classes] = {};
      std::string row;
      for (int j = static_cast<int>(random() % 20); j < columns; j += 1 + static_cast<int>(random() % 20)) {
        const double x = std::round(100.0 * normal(random)) / 100.0;
        row += " " + std::to_string(j + 1) + ":" + std::to_string(x);
        for (int k = 0; k < classes; ++k) score[k] += w[k][j] * x;
      }
      text += std::to_string(labels[std::max_element(score, score + classes) - score]) + row + "\n";
    }
    return folder->write(name, text);
  }

  /// The same rows with the label 1 for this class and -1 for all others.
  static std::string against_rest(const std::string& path, int label) {
    std::string text;
    for (const std::string& line : lines_of(read_file(path))) {
      const std::size_t blank = line.find(' ');
      text += (line.substr(0, blank) == std::to_string(label) ? "1" : "-1") +
              (blank == std::string::npos ? "" : line.substr(blank)) + "\n";
    }
    const std::string one = path + "." + std::to_string(label);
    write_file(one, text);
    return one;
  }

  /// From a model as text: the weights of each column, and the biases under 0.
  static std::map<int, std::vector<std::string>> weights_in(const std::string& path) {
    std::map<int, std::vector<std::string>> found;
    bool behind_columns = false;
    for (const std::string& line : lines_of(read_file(path))) {
      std::istringstream words(line);
      std::string first;
      words >> first;
      if (first == "columns") behind_columns = true;
      if (first == "end" || first == "columns" || (!behind_columns && first != "bias")) continue;
      std::vector<std::string>& numbers = found[first == "bias" ? 0 : std::stoi(first)];
      for (std::string word; words >> word;) numbers.push_back(word);
    }
    return found;
  }

  static outcome trained(const std::string& rows, const command_words& more) {
    const bool given = std::ranges::find(more, "--epochs") != more.end();
    return hogwild({"train", rows, "--json", given ? "" : "--epochs 4", more});
  }

  static void expect_each_as_alone(const char* options, const std::string& validation = {}) {
    const std::string rows = rows_of_classes("classes.svm", 800, 1), all = *folder / "ovr.txt";
    const auto validated = [&](const std::string& by) {
      return validation.empty() ? command_words() : command_words{"--validation", by};
    };
    result_of(trained(rows, {options, "--engine serial --multiclass ovr --save", all, validated(validation)}));
    const auto of_all = weights_in(all);
    for (int k = 0; k < classes; ++k) {
      const std::string one = *folder / "one.txt";
      const std::string held = validation.empty() ? "" : against_rest(validation, labels[k]);
      result_of(trained(against_rest(rows, labels[k]), {options, "--engine serial --save", one, validated(held)}));
      const auto of_one = weights_in(one);
      ASSERT_EQ(of_all.size(), of_one.size());
      for (const auto& [column, w] : of_one)
        EXPECT_EQ(of_all.at(column).at(static_cast<std::size_t>(k)), w.at(0)) << "class " << k << " column " << column;
    }
  }
};

TEST_F(several_command, classes_against_the_rest_are_as_files_with_labels_rewritten) {
  expect_each_as_alone("");
  expect_each_as_alone("--model hinge_svm --step 0.1 --l2 1e-3 --bias --batch 3");
  expect_each_as_alone("--step 0.2 --epochs 9 --l2 0 --patience 1 --schedule inverse",
                       rows_of_classes("held.svm", 100, 2));
  expect_each_as_alone("--optimizer adagrad --step 0.2");
}

TEST_F(several_command, classes_against_the_rest_are_saved_measured_and_predicted) {
  const std::string rows = rows_of_classes("classes.svm", 800, 1), test = rows_of_classes("tested.svm", 300, 3);
  const std::string record = *folder / "ovr.jsonl";
  for (const std::string engine : {"serial", "threads"}) {
    for (const std::string name : {"ovr.txt", "ovr.bin"}) {
      const std::string model = *folder / name;
      const auto run = result_of(trained(rows, {"--multiclass ovr --engine", engine, "--test", test,
                                                "--epochs 20 --save", model, "--record", record, "--bias"}));
      EXPECT_EQ(run["models"], classes);
      EXPECT_EQ(run["multiclass"], "ovr");
      EXPECT_GT(run["test_accuracy"].get<double>(), 0.5);
      const auto measured = expect_measured_alike(run, model, test);
      const auto said = lines_of(hogwild({"predict", model, test}).out);
      EXPECT_NEAR(fraction_right(hogwild({"predict", model, test}).out, test), measured["accuracy"], 1e-9);
      const auto best = lines_of(hogwild({"predict", model, test, "--top 2"}).out);
      for (std::size_t r = 0; r < said.size(); ++r) EXPECT_EQ(best[r].substr(0, best[r].find(' ')), said[r]);
      const auto probable = lines_of(hogwild({"predict", model, test, "--probabilities"}).out);
      EXPECT_EQ(std::count(probable[0].begin(), probable[0].end(), ' '), classes - 1);
      EXPECT_THAT(read_file(record), HasSubstr("\"combination\":\"one_vs_rest\""));
      EXPECT_EQ(lines_of(read_file(record)).size(), 22u);
      const auto seen = result_of({"inspect", model, "--json"});
      EXPECT_EQ(seen["models"], classes);
      EXPECT_EQ(seen["answer"], "one_vs_rest");
    }
  }
}

TEST_F(several_command, runs_are_resumed_as_if_they_had_not_ended) {
  const std::string rows = rows_of_classes("classes.svm", 400, 1), state = *folder / "ovr.ckpt";
  for (const char* how : {"--multiclass ovr --step 0.2", "--ensemble 3 --model least_squares --optimizer adagrad"}) {
    const command_words common{how, "--decay 0.9 --engine serial --bias --measure-every 2"};
    result_of(trained(rows, {common, "--epochs 6 --save", *folder / "whole.bin"}));
    result_of(trained(rows, {common, "--epochs 4 --checkpoint", state}));
    EXPECT_EQ(result_of({"inspect", state, "--json"})["measured_epoch"], 4);
    result_of(trained(rows, {common, "--epochs 6 --save", *folder / "resumed.bin", "--resume", state}));
    EXPECT_EQ(read_file(*folder / "resumed.bin"), read_file(*folder / "whole.bin"));
  }
}

TEST_F(several_command, ensembles_are_saved_measured_and_predicted) {
  const std::string model = *folder / "ensemble.bin";
  struct way {
    const char* words;
    int models;
    bool one_in_the_end, probable;
  };
  for (const way& of : {way{"--ensemble 9", 9, false, true},
                        {"--ensemble 4 --combine vote --model hinge_svm", 4, false, false},
                        {"--ensemble 3 --ensemble-by shards", 3, false, true},
                        {"--ensemble mean-weights:4", 4, true, true},
                        {"--ensemble 3 --model least_squares", 3, false, false}}) {
    for (const std::string engine : {"serial", "threads"}) {
      SCOPED_TRACE(of.words + engine);
      const auto run = result_of(trained(train(), {of.words, "--engine", engine, "--test", test(), "--save", model}));
      EXPECT_EQ(run["models"], of.models);
      const auto measured = expect_measured_alike(run, model, test());
      for (const std::string metric : {"accuracy", "auc", "f1", "rmse"})
        EXPECT_EQ(measured.contains(metric), run.contains("test_" + metric));
      EXPECT_EQ(hogwild({"predict", model, test()}).code, 0);
      EXPECT_EQ(result_of({"inspect", model, "--json"}).contains("models"), !of.one_in_the_end);
      EXPECT_EQ(hogwild({"predict", model, test(), "--probabilities"}).code, of.probable ? 0 : 2);
    }
  }
}

TEST_F(several_command, ensembles_and_classes_are_trained_by_every_engine) {
  const std::string classes = rows_of_classes("by_engines.svm", 800, 4), record = *folder / "engine.jsonl";
  for (const auto& [several, rows] : {std::pair("--multiclass ovr", classes), std::pair("--ensemble 3", train())}) {
    const double expected = result_of(trained(rows, {several, "--engine serial --epochs 10"}))["train_loss"];
    // With other ways of sharing the engine may choose one process, because of what it measures on a busy machine.
    for (const std::string engine :
         {"processes --sharing buffered", "ring --replicas 2", "ring --replicas 2 --transport shared_segment",
          "local_sgd", "all_reduce --sync-rows 4", "local_sgd --transport shared_segment"}) {
      const auto run =
          result_of(trained(rows, {several, "--engine", engine.c_str(), "--epochs 10 --workers 2 --record", record}));
      EXPECT_EQ(run["workers"], 2) << engine;
      EXPECT_LT(run["train_loss"].get<double>(), 1.15 * expected) << several << " by " << engine;
      EXPECT_THAT(read_file(record), HasSubstr("\"" + engine.substr(0, engine.find(' ')) + "\""));
    }
  }
}

TEST_F(several_command, processes_that_are_reproducible_have_the_same_bits_however_many) {
  const auto saved_by = [&](const std::string& workers) {
    const std::string model = *folder / ("by" + workers + ".bin");
    result_of(trained(
        train(), {"--ensemble 9 --engine processes --reproducible --workers", workers, "--epochs 3 --save", model}));
    return read_file(model);
  };
  const std::string by_one = saved_by("1");
  EXPECT_EQ(saved_by("2"), by_one);
  EXPECT_EQ(saved_by("3"), by_one);
}

TEST_F(several_command, shards_do_not_depend_on_the_number_of_workers) {
  const std::string one = *folder / "one.bin", three = *folder / "three.bin";
  result_of(trained(train(), {"--ensemble mean-weights:5 --engine serial --save", one}));
  result_of(trained(train(), {"--ensemble mean-weights:5 --workers 3 --save", three}));
  EXPECT_EQ(read_file(one), read_file(three));
}

TEST_F(several_command, a_run_one_by_one_that_is_stopped_saves_the_models_of_its_last_epoch) {
  const std::string rows = rows_of_classes("stopped.svm", 200, 5), model = *folder / "stopped.txt",
                    record = *folder / "stopped.jsonl";
  running_command run({"train", rows,
                       "--multiclass ovr --optimizer adagrad --step 0.1 --workers 1 --epochs 100000000 --save", model,
                       "--record", record});
  ASSERT_TRUE(eventually(std::chrono::seconds(20), [&] {
    return std::filesystem::exists(record) && lines_of(read_file(record)).size() > 3;  // the context, and epochs
  }));
  run.signal(SIGINT);
  const outcome o = run.wait();
  EXPECT_EQ(o.code, 130) << o.err;
  const nlohmann::json last = nlohmann::json::parse(lines_of(read_file(record)).back());
  EXPECT_GE(last["epochs"], 2);
  const auto again =
      result_of(trained(rows, {"--multiclass ovr --optimizer adagrad --step 0.1 --workers 1 --epochs",
                               std::to_string(last["epochs"].get<int>()), "--save", *folder / "as_long.txt"}));
  EXPECT_EQ(read_file(model), read_file(*folder / "as_long.txt"));
  EXPECT_NEAR(again["objective"], last["objective"], 1e-6 * last["objective"].get<double>());
}

}  // namespace
}  // namespace hogwild::test
