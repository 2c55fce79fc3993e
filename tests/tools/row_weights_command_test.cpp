// SPDX-License-Identifier: Apache-2.0
// Weights and offsets from files, and weights of classes, as the command takes them.
#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "small_data.hpp"

namespace hogwild::test {
namespace {

using ::testing::HasSubstr;

class row_weights_command : public with_small_data {
 protected:
  static std::string numbers(const std::string& name, std::size_t rows, const std::vector<std::string>& these) {
    std::string text;
    for (std::size_t r = 0; r < rows; ++r) text += these[r % these.size()] + "\n";
    write_file(*folder / name, text);
    return *folder / name;
  }
  static std::size_t rows_of(const std::string& path) { return lines_of(read_file(path)).size(); }
  /// The lines of `path` whose number is a multiple of three, three times, and the others once.
  static std::string repeated(const std::string& path, const std::string& name) {
    std::string text;
    const auto lines = lines_of(read_file(path));
    for (std::size_t r = 0; r < lines.size(); ++r)
      for (int copy = 0; copy < (r % 3 == 0 ? 3 : 1); ++copy) text += lines[r] + "\n";
    write_file(*folder / name, text);
    return *folder / name;
  }
  static outcome trained(const std::vector<std::string>& more) {
    std::vector<std::string> words{"train", train(), "--epochs", "3", "--step", "0.1", "--engine", "serial", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return hogwild(words);
  }
};

TEST_F(row_weights_command, files_weigh_what_is_trained_tested_and_evaluated) {
  const std::string weights = numbers("w.txt", rows_of(train()), {"3", "1", "1"});
  const std::string of_test = numbers("tw.txt", rows_of(test()), {"3", "1", "1"});
  const std::string model = *folder / "weighed.bin";
  const auto run =
      result_of(trained({"--weights", weights, "--test", test(), "--test-weights", of_test, "--save", model}));
  const auto on_repeated = result_of(hogwild({"evaluate", model, repeated(train(), "repeated.svm"), "--json"}));
  EXPECT_NEAR(run["train_loss"].get<double>(), on_repeated["loss"].get<double>(), 1e-6);
  const auto test_repeated = result_of(hogwild({"evaluate", model, repeated(test(), "test3.svm"), "--json"}));
  const auto test_weighed = result_of(hogwild({"evaluate", model, test(), "--weights", of_test, "--json"}));
  for (const char* const name : {"loss", "accuracy", "auc", "f1"}) {
    EXPECT_NEAR(test_weighed[name].get<double>(), test_repeated[name].get<double>(), 1e-9) << name;
    EXPECT_NEAR(run[std::string("test_") + name].get<double>(), test_repeated[name].get<double>(), 1e-6) << name;
  }
  const auto plain = result_of(hogwild({"evaluate", model, test(), "--json"}));
  EXPECT_NE(plain["loss"], test_weighed["loss"]);
  // All ten times as large: the same model.
  const std::string larger = *folder / "larger.bin";
  result_of(trained({"--weights", numbers("w10.txt", rows_of(train()), {"30", "10", "10"}), "--save", larger}));
  EXPECT_EQ(read_file(larger), read_file(model));
}

TEST_F(row_weights_command, offsets_shift_margins_in_training_and_predictions) {
  const std::string offsets = numbers("o.txt", rows_of(train()), {"1.5", "-0.5"});
  const std::string of_test = numbers("to.txt", rows_of(test()), {"100", "-100"});
  const std::string model = *folder / "offset.bin", plain = *folder / "plain.bin";
  const auto run = result_of(trained({"--offsets", offsets, "--save", model}));
  const auto measured = result_of(hogwild({"evaluate", model, train(), "--offsets", offsets, "--json"}));
  EXPECT_NEAR(run["train_loss"].get<double>(), measured["loss"].get<double>(), 1e-6);
  result_of(trained({"--save", plain}));
  EXPECT_NE(read_file(model), read_file(plain));
  const auto said = lines_of(hogwild({"predict", model, test(), "--offsets", of_test}).out);
  ASSERT_EQ(said.size(), rows_of(test()));
  const auto probable = lines_of(hogwild({"predict", model, test(), "--offsets", of_test, "--probabilities"}).out);
  for (std::size_t r = 0; r < said.size(); ++r) {
    ASSERT_EQ(said[r], r % 2 == 0 ? "1" : "-1") << r;
    ASSERT_NEAR(std::stod(probable[r]), r % 2 == 0 ? 1.0 : 0.0, 1e-6);
  }
}

TEST_F(row_weights_command, classes_have_weights) {
  const std::string record = *folder / "classes.jsonl";
  const auto weighed = result_of(trained({"--class-weights", "1=3", "--record", record}));
  EXPECT_EQ(weighed["train_loss"], result_of(trained({"--weight-positive", "3"}))["train_loss"]);
  EXPECT_THAT(read_file(record), HasSubstr("\"class_weights\":\"1=3\""));
  EXPECT_THAT(read_file(record), HasSubstr("\"row_weights\":true"));
  EXPECT_NE(result_of(trained({"--class-weights", "balanced", "--model", "softmax"}))["train_loss"],
            result_of(trained({"--model", "softmax"}))["train_loss"]);
}

TEST_F(row_weights_command, every_engine_takes_them) {
  const std::string weights = numbers("w.txt", rows_of(train()), {"3", "1", "0"});
  const auto serial = result_of(trained({"--weights", weights}))["train_loss"].get<double>();
  const std::vector<std::vector<std::string>> engines = {{"threads"},
                                                         {"processes"},
                                                         {"ring", "--replicas", "2"},
                                                         {"all_reduce", "--step", "3", "--sync-rows", "8"},
                                                         {"local_sgd"},
                                                         {"cuda", "--device", "emulated"}};
  for (const auto& engine : engines) {
    std::vector<std::string> words{"train", train(), "--weights", weights, "--epochs", "3", "--json", "--engine"};
    words.insert(words.end(), engine.begin(), engine.end());
    if (engine.front() != "all_reduce") words.insert(words.end(), {"--step", "0.1"});
    if (engine.front() != "cuda") words.insert(words.end(), {"--workers", "2"});
    EXPECT_NEAR(result_of(hogwild(words))["train_loss"].get<double>(), serial, 0.3 * serial) << engine.front();
  }
}

TEST_F(row_weights_command, what_is_wrong_is_a_sentence) {
  const auto refused = [](const std::vector<std::string>& more, int code, const std::string& sentence) {
    const outcome o = trained(more);
    EXPECT_EQ(o.code, code) << o.err;
    EXPECT_THAT(o.err, HasSubstr(sentence));
  };
  const std::size_t rows = rows_of(train());
  refused({"--weights", numbers("bad.txt", rows, {"1", "1", "x"})}, 3, "bad.txt:3:1: 'x' is not a finite number");
  refused({"--weights", numbers("few.txt", rows - 1, {"1"})}, 3,
          "few.txt: there are " + std::to_string(rows - 1) + " numbers for the " + std::to_string(rows) + " rows");
  refused({"--weights", numbers("neg.txt", rows, {"1", "-2"})}, 3, "neg.txt: the data: the weight of row 2 is -2");
  refused({"--weights", numbers("zero.txt", rows, {"0"})}, 3, "all weights are 0");
  refused({"--offsets", numbers("nan.txt", rows, {"nan"})}, 3, "nan.txt:1:1: 'nan' is not a finite number");
  refused({"--weights", *folder / "none.txt"}, 3, "none.txt");
  refused({"--test-weights", *folder / "w.txt"}, 2, "need --test FILE");
  refused({"--validation-offsets", *folder / "w.txt", "--validation", "0.1"}, 2, "need --validation FILE");
  refused({"--ftrl-beta", "2"}, 2, "--ftrl-beta needs --optimizer ftrl");
  refused({"--class-weights", "1"}, 2, "'1' is neither 'balanced' nor LABEL=WEIGHT,...");
  refused({"--class-weights", "1=x"}, 2, "neither 'balanced' nor");
  refused({"--class-weights", "7=2"}, 2, "the weight of label 7 is for no row");
  refused({"--class-weights", "balanced", "--model", "least_squares"}, 2, "this is a regression");
  refused({"--offsets", numbers("o.txt", rows, {"1"}), "--model", "softmax"}, 2, "offsets of rows");
  refused({"--weights", *folder / "o.txt", "--save", *folder / "o.txt"}, 2, "would overwrite");
  const std::string model = *folder / "softmax.bin";
  result_of(trained({"--model", "softmax", "--save", model}));
  const outcome predicted = hogwild({"predict", model, train(), "--offsets", *folder / "o.txt"});
  EXPECT_EQ(predicted.code, 2);
  EXPECT_THAT(predicted.err, HasSubstr("which are for models with a margin"));
}

}  // namespace
}  // namespace hogwild::test
