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
    return folder->write(name, text);
  }
  static std::size_t rows_of(const std::string& path) { return lines_of(read_file(path)).size(); }
  /// The lines of `path` whose number is a multiple of three, three times, and the others once.
  static std::string repeated(const std::string& path, const std::string& name) {
    std::string text;
    const auto lines = lines_of(read_file(path));
    for (std::size_t r = 0; r < lines.size(); ++r)
      for (int copy = 0; copy < (r % 3 == 0 ? 3 : 1); ++copy) text += lines[r] + "\n";
    return folder->write(name, text);
  }
  static outcome trained(const command_words& more) {
    return hogwild({"train", train(), "--epochs 3 --step 0.1 --engine serial --json", more});
  }
};

TEST_F(row_weights_command, files_weigh_what_is_trained_tested_and_evaluated) {
  const std::string weights = numbers("w.txt", rows_of(train()), {"3", "1", "1"});
  const std::string of_test = numbers("tw.txt", rows_of(test()), {"3", "1", "1"});
  const std::string model = *folder / "weighed.bin";
  const auto run =
      result_of(trained({"--weights", weights, "--test", test(), "--test-weights", of_test, "--save", model}));
  const auto on_repeated = result_of({"evaluate", model, repeated(train(), "repeated.svm"), "--json"});
  EXPECT_NEAR(run["train_loss"].get<double>(), on_repeated["loss"].get<double>(), 1e-6);
  const auto test_repeated = result_of({"evaluate", model, repeated(test(), "test3.svm"), "--json"});
  const auto test_weighed = result_of({"evaluate", model, test(), "--weights", of_test, "--json"});
  for (const char* const name : {"loss", "accuracy", "auc", "f1"}) {
    EXPECT_NEAR(test_weighed[name].get<double>(), test_repeated[name].get<double>(), 1e-9) << name;
    EXPECT_NEAR(run[std::string("test_") + name].get<double>(), test_repeated[name].get<double>(), 1e-6) << name;
  }
  const auto plain = result_of({"evaluate", model, test(), "--json"});
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
  const auto measured = result_of({"evaluate", model, train(), "--offsets", offsets, "--json"});
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
  const auto weighed = result_of(trained({"--class-weights 1=3 --record", record}));
  EXPECT_EQ(weighed["train_loss"], result_of(trained({"--weight-positive 3"}))["train_loss"]);
  EXPECT_THAT(read_file(record), HasSubstr("\"class_weights\":\"1=3\""));
  EXPECT_THAT(read_file(record), HasSubstr("\"row_weights\":true"));
  EXPECT_NE(result_of(trained({"--class-weights balanced --model softmax"}))["train_loss"],
            result_of(trained({"--model softmax"}))["train_loss"]);
}

TEST_F(row_weights_command, every_engine_takes_them) {
  const std::string weights = numbers("w.txt", rows_of(train()), {"3", "1", "0"});
  const auto serial = result_of(trained({"--weights", weights}))["train_loss"].get<double>();
  for (const char* const engine :
       {"threads --step 0.1 --workers 2", "processes --step 0.1 --workers 2",
        "ring --replicas 2 --step 0.1 --workers 2", "all_reduce --step 3 --sync-rows 8 --workers 2",
        "local_sgd --step 0.1 --workers 2", "cuda --device emulated --step 0.1"}) {
    const auto run = result_of({"train", train(), "--weights", weights, "--epochs 3 --json --engine", engine});
    EXPECT_NEAR(run["train_loss"].get<double>(), serial, 0.3 * serial) << engine;
  }
}

}  // namespace
}  // namespace hogwild::test
