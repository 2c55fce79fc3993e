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
  static constexpr int columns = 150;  ///< more than kernels of one model hold in registers, which round otherwise
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
    write_file(*folder / name, text);
    return *folder / name;
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

  static outcome trained(const std::string& rows, const std::vector<std::string>& more) {
    std::vector<std::string> words{"train", rows, "--json"};
    if (std::ranges::find(more, "--epochs") == more.end()) words.insert(words.end(), {"--epochs", "4"});
    words.insert(words.end(), more.begin(), more.end());
    return hogwild(words);
  }

  static void expect_each_as_alone(const std::vector<std::string>& options, const std::string& validation = {}) {
    const std::string rows = rows_of_classes("classes.svm", 800, 1), all = *folder / "ovr.txt";
    std::vector<std::string> together = options;
    together.insert(together.end(), {"--engine", "serial", "--multiclass", "ovr", "--save", all});
    if (!validation.empty()) together.insert(together.end(), {"--validation", validation});
    result_of(trained(rows, together));
    const auto of_all = weights_in(all);
    for (int k = 0; k < classes; ++k) {
      const std::string one = *folder / "one.txt";
      std::vector<std::string> alone = options;
      alone.insert(alone.end(), {"--engine", "serial", "--save", one});
      if (!validation.empty()) alone.insert(alone.end(), {"--validation", against_rest(validation, labels[k])});
      result_of(trained(against_rest(rows, labels[k]), alone));
      const auto of_one = weights_in(one);
      ASSERT_EQ(of_all.size(), of_one.size());
      for (const auto& [column, w] : of_one)
        EXPECT_EQ(of_all.at(column).at(static_cast<std::size_t>(k)), w.at(0)) << "class " << k << " column " << column;
    }
  }
};

TEST_F(several_command, classes_against_the_rest_are_as_files_with_labels_rewritten) {
  expect_each_as_alone({});
  expect_each_as_alone({"--model", "hinge_svm", "--step", "0.1", "--l2", "1e-3", "--bias", "--batch", "3"});
  expect_each_as_alone({"--step", "0.2", "--epochs", "9", "--l2", "0", "--patience", "1", "--schedule", "inverse"},
                       rows_of_classes("held.svm", 100, 2));
  expect_each_as_alone({"--optimizer", "adagrad", "--step", "0.2"});
}

TEST_F(several_command, classes_against_the_rest_are_saved_measured_and_predicted) {
  const std::string rows = rows_of_classes("classes.svm", 800, 1), test = rows_of_classes("tested.svm", 300, 3);
  const std::string record = *folder / "ovr.jsonl";
  for (const std::string engine : {"serial", "threads"}) {
    for (const std::string name : {"ovr.txt", "ovr.bin"}) {
      const std::string model = *folder / name;
      const auto run = result_of(trained(rows, {"--multiclass", "ovr", "--engine", engine, "--test", test, "--epochs",
                                                "20", "--save", model, "--record", record, "--bias"}));
      EXPECT_EQ(run["models"], classes);
      EXPECT_EQ(run["multiclass"], "ovr");
      EXPECT_GT(run["test_accuracy"].get<double>(), 0.5);
      const auto measured = result_of(hogwild({"evaluate", model, test, "--json"}));
      EXPECT_NEAR(measured["loss"].get<double>(), run["test_loss"].get<double>(), 1e-6);
      EXPECT_EQ(measured["accuracy"], run["test_accuracy"]);
      const auto said = lines_of(hogwild({"predict", model, test}).out), truth = lines_of(read_file(test));
      ASSERT_EQ(said.size(), truth.size());
      std::size_t right = 0;
      for (std::size_t r = 0; r < said.size(); ++r) right += truth[r].substr(0, truth[r].find(' ')) == said[r] ? 1 : 0;
      EXPECT_NEAR(measured["accuracy"].get<double>(), static_cast<double>(right) / 300.0, 1e-9);
      const auto best = lines_of(hogwild({"predict", model, test, "--top", "2"}).out);
      for (std::size_t r = 0; r < said.size(); ++r) EXPECT_EQ(best[r].substr(0, best[r].find(' ')), said[r]);
      const auto probable = lines_of(hogwild({"predict", model, test, "--probabilities"}).out);
      EXPECT_EQ(std::count(probable[0].begin(), probable[0].end(), ' '), classes - 1);
      EXPECT_THAT(read_file(record), HasSubstr("\"combination\":\"one_vs_rest\""));
      EXPECT_EQ(lines_of(read_file(record)).size(), 22u);
      const auto seen = result_of(hogwild({"inspect", model, "--json"}));
      EXPECT_EQ(seen["models"], classes);
      EXPECT_EQ(seen["answer"], "one_vs_rest");
    }
  }
}

TEST_F(several_command, ensembles_are_saved_measured_and_predicted) {
  const std::string model = *folder / "ensemble.bin";
  const std::vector<std::vector<std::string>> ways = {{"--ensemble", "9"},
                                                      {"--ensemble", "4", "--combine", "vote", "--model", "hinge_svm"},
                                                      {"--ensemble", "3", "--ensemble-by", "shards"},
                                                      {"--ensemble", "mean-weights:4"},
                                                      {"--ensemble", "3", "--model", "least_squares"}};
  for (const std::string engine : {"serial", "threads"}) {
    for (std::vector<std::string> words : ways) {
      words.insert(words.end(), {"--engine", engine, "--test", test(), "--save", model});
      const auto run = result_of(trained(train(), words));
      EXPECT_EQ(run["models"], std::stoi(words[1].substr(words[1].find_first_of("0123456789"))));
      const auto measured = result_of(hogwild({"evaluate", model, test(), "--json"}));
      EXPECT_NEAR(measured["loss"].get<double>(), run["test_loss"].get<double>(), 1e-6);
      for (const std::string metric : {"accuracy", "auc", "f1", "rmse"}) {
        ASSERT_EQ(measured.contains(metric), run.contains("test_" + metric));
        if (!measured.contains(metric)) continue;
        EXPECT_NEAR(measured[metric].get<double>(), run["test_" + metric].get<double>(), 1e-6) << metric;
      }
      EXPECT_EQ(hogwild({"predict", model, test()}).code, 0);
      const auto seen = result_of(hogwild({"inspect", model, "--json"}));
      EXPECT_EQ(seen.contains("models"), words[1] != "mean-weights:4");
      EXPECT_EQ(hogwild({"predict", model, test(), "--probabilities"}).code,
                words.size() > 2 && (words[2] == "--combine" || words[2] == "--model") ? 2 : 0);
    }
  }
}

TEST_F(several_command, ensembles_and_classes_are_trained_by_every_engine) {
  const std::string rows = rows_of_classes("by_engines.svm", 800, 4), record = *folder / "engine.jsonl";
  const std::vector<std::string> common{"--epochs", "10", "--workers", "2", "--record", record};
  const auto loss_by = [&](const std::string& of, std::vector<std::string> words) {
    words.insert(words.end(), common.begin(), common.end());
    const auto run = result_of(trained(of, words));
    EXPECT_EQ(run["workers"], 2);
    return run["train_loss"].get<double>();
  };
  for (const std::vector<std::string>& several :
       {std::vector<std::string>{"--multiclass", "ovr"}, {"--ensemble", "3"}}) {
    const std::string of = several.front() == "--multiclass" ? rows : train();
    std::vector<std::string> serial = several;
    serial.insert(serial.end(), {"--engine", "serial", "--epochs", "10"});
    const double expected = result_of(trained(of, serial))["train_loss"].get<double>();
    for (const std::vector<std::string>& engine : {std::vector<std::string>{"processes"},
                                                   {"ring", "--replicas", "2"},
                                                   {"ring", "--replicas", "2", "--transport", "shared_segment"},
                                                   {"local_sgd"},
                                                   {"all_reduce", "--sync-rows", "4"},
                                                   {"local_sgd", "--transport", "shared_segment"}}) {
      std::vector<std::string> words = several;
      words.emplace_back("--engine");
      words.insert(words.end(), engine.begin(), engine.end());
      EXPECT_LT(loss_by(of, words), 1.15 * expected) << several.front() << " by " << engine.front();
      EXPECT_THAT(read_file(record), HasSubstr("\"" + engine.front() + "\""));
    }
  }
}

TEST_F(several_command, processes_that_are_reproducible_have_the_same_bits_however_many) {
  const auto saved_by = [&](const std::string& workers) {
    const std::string model = *folder / ("by" + workers + ".bin");
    result_of(trained(train(), {"--ensemble", "9", "--engine", "processes", "--reproducible", "--workers", workers,
                                "--epochs", "3", "--save", model}));
    return read_file(model);
  };
  const std::string by_one = saved_by("1");
  EXPECT_EQ(saved_by("2"), by_one);
  EXPECT_EQ(saved_by("3"), by_one);
}

TEST_F(several_command, shards_do_not_depend_on_the_number_of_workers) {
  const std::string one = *folder / "one.bin", three = *folder / "three.bin";
  result_of(trained(train(), {"--ensemble", "mean-weights:5", "--engine", "serial", "--save", one}));
  result_of(trained(train(), {"--ensemble", "mean-weights:5", "--workers", "3", "--save", three}));
  EXPECT_EQ(read_file(one), read_file(three));
}

TEST_F(several_command, what_is_wrong_is_a_sentence) {
  const auto refused = [](const std::vector<std::string>& more, int code, const std::string& sentence) {
    const outcome o = trained(train(), more);
    EXPECT_EQ(o.code, code) << o.err;
    EXPECT_THAT(o.err, HasSubstr(sentence));
  };
  refused({"--multiclass", "ovr"}, 2, "the rows have two labels");
  refused({"--multiclass", "all"}, 2, "'all' is not ovr");
  refused({"--multiclass", "ovr", "--model", "softmax"}, 2, "--class-loss one_vs_rest");
  refused({"--multiclass", "ovr", "--model", "least_squares"}, 2, "is for models of two labels: logistic, hinge_svm");
  refused({"--multiclass", "ovr", "--weight-positive", "2"}, 2, "take --class-weights");
  refused({"--multiclass", "ovr", "--ensemble", "3"}, 2, "excludes");
  for (const std::string n : {"0", "1", "2.5", "x", "mean-weights:1", "mean-weights4"})
    refused({"--ensemble", n}, 2, "is neither a number of models");
  refused({"--ensemble", "3", "--model", "softmax"}, 2, "--ensemble is for linear models");
  refused({"--ensemble", "3", "--model", "huber", "--combine", "vote"}, 2, "predicts numbers");
  refused({"--combine", "vote"}, 2, "requires --ensemble");
  refused({"--ensemble-by", "shards"}, 2, "requires --ensemble");
  refused({"--ensemble", "mean-weights:3", "--combine", "mean"}, 2, "is decided by --ensemble mean-weights");
  refused({"--ensemble", "mean-weights", "--engine", "serial"}, 2, "one worker makes one shard");
  refused({"--ensemble", "mean-weights:5000"}, 2, "more shards, 5000, than rows");
  refused({"--ensemble", "3", "--engine", "cuda"}, 2, "--ensemble trains by CPUs");
  refused({"--multiclass", "ovr", "--engine", "ring", "--device", "0"}, 2, "--multiclass trains by CPUs");
  for (const std::vector<std::string>& alone :
       {std::vector<std::string>{"--ensemble-by", "shards"}, {"--optimizer", "adagrad"}, {"--average", "0.5"}}) {
    std::vector<std::string> words{"--ensemble", "3", "--engine", "processes"};
    words.insert(words.end(), alone.begin(), alone.end());
    refused(words, 2, "have a thread each: take the serial engine or threads");
  }
  for (const std::string update : {"locked", "edge_locked", "ordered"})
    refused({"--ensemble", "3", "--update", update}, 2, "nothing is locked or put in order: leave out the update");
  refused({"--ensemble", "3", "--checkpoint", *folder / "c"}, 2, "--checkpoint is not for models that make one");
  refused({"--ensemble", "3", "--measure-every", "2"}, 2, "--measure-every is not for models that make one");
  const std::string model = *folder / "three.bin";
  result_of(trained(train(), {"--ensemble", "3", "--save", model}));
  refused({"--init", model}, 2, "holds 3 logistic models that make one");
  const std::string lists = *folder / "lists.svm";
  write_file(lists, "1,2 1:1\n3 2:1\n2 1:1\n");
  const outcome of_lists = trained(lists, {"--multiclass", "ovr"});
  EXPECT_EQ(of_lists.code, 3) << of_lists.err;
  EXPECT_THAT(of_lists.err, HasSubstr("lists"));
}

TEST_F(several_command, a_run_that_is_stopped_before_all_were_begun_leaves_the_old_file) {
  const std::string rows = rows_of_classes("stopped.svm", 200, 5), model = *folder / "old.txt",
                    record = *folder / "stopped.jsonl";
  write_file(model, "old");
  running_command run({"train", rows, "--multiclass", "ovr", "--optimizer", "adagrad", "--step", "0.1", "--workers",
                       "1", "--epochs", "100000000", "--save", model, "--record", record});
  // The record begins where a run can be asked to stop.
  ASSERT_TRUE(eventually(std::chrono::seconds(20),
                         [&] { return std::filesystem::exists(record) && std::filesystem::file_size(record) > 0; }));
  run.signal(SIGINT);
  const outcome o = run.wait();
  EXPECT_EQ(o.code, 130) << o.err;
  EXPECT_THAT(o.out, HasSubstr("stopped after 0 epochs"));
  EXPECT_EQ(read_file(model), "old");
}

TEST_F(several_command, files_that_do_not_fit_are_refused) {
  const std::string model = *folder / "ensemble.txt";
  result_of(trained(train(), {"--ensemble", "2", "--save", model}));
  const std::string text = read_file(model);
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string other = text;
    const std::size_t at = other.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    other.replace(at, from.size(), to);
    write_file(*folder / "changed.txt", other);
    const outcome o = hogwild({"evaluate", *folder / "changed.txt", test()});
    EXPECT_EQ(o.code, 3) << o.err;
    EXPECT_THAT(o.err, HasSubstr("changed.txt"));
  };
  changed("option ensemble.vote 0", "option ensemble.vote 2");
  changed("option ensemble.vote 0\n", "");
  changed("labels binary", "labels classes");
  changed("option ensemble.vote 0", "option voice 0");
  changed("width 2\n", "width 2\nbias 1\n");
}

}  // namespace
}  // namespace hogwild::test
