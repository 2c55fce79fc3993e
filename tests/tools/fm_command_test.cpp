// SPDX-License-Identifier: Apache-2.0
// Factorization machines from the command line: train, evaluate, predict, and refusals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include <hogwild/detail/kernels/layer_kernels.hpp>

#include "small_data.hpp"

namespace hogwild::test {
namespace {

using ::testing::HasSubstr;

/// Four fields with two or three values each. A label is positive where the values of the first two differ, but flipped
/// in a tenth of the rows: no single value predicts it.
class fm_command : public with_folder {
 protected:
  static void SetUpTestSuite() {
    with_folder::SetUpTestSuite();
    write("train", 2000, 1);
    write("test", 1000, 2);
  }

  static void write(const std::string& name, int rows, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::string svm, ffm, numbers;
    for (int r = 0; r < rows; ++r) {
      const std::uint64_t value[4] = {random() % 2, random() % 2, random() % 3, random() % 3};
      const bool differ = value[0] != value[1];
      svm += differ != (random() % 10 == 0) ? "1" : "0";
      ffm += svm.back();
      numbers += differ ? "130" : "70";
      for (std::uint64_t f = 0; f < 4; ++f) {
        const std::string column = std::to_string(3 * f + value[f] + 1) + ":1";
        svm += " " + column;
        numbers += " " + column;
        ffm += " " + std::to_string(f) + ":" + std::to_string(value[f]) + ":1";
      }
      for (std::string* text : {&svm, &ffm, &numbers}) *text += "\n";
    }
    write_file(*folder / (name + ".svm"), svm);
    write_file(*folder / (name + ".ffm"), ffm);
    write_file(*folder / (name + ".numbers"), numbers);
  }
  static std::string ending(const std::string& model) { return model == "ffm" || model == "deepfm" ? ".ffm" : ".svm"; }
  /// The models that this build has.
  static std::vector<std::string> names() {
    std::vector<std::string> all{"factorization_machine", "ffm"};
    if (has_layer_kernels()) all.push_back("deepfm");
    return all;
  }

  static command_words training(const std::string& model, const command_words& more) {
    const std::string end = ending(model);
    return {"train", file("train" + end), "--test", file("test" + end), "--model", model, "--json", more};
  }
};

// Nine tenths of 1,000 labels follow the rule, give or take 9.5: five deviations are 0.05.
TEST_F(fm_command, learn_by_defaults_what_no_linear_model_can) {
  EXPECT_LT(result_of(training("logistic", {"--bias"}))["test_accuracy"], 0.6);
  for (const std::string& model : names()) {
    const auto result = result_of(training(model, {"--engine serial"}));
    EXPECT_GT(result["test_accuracy"], 0.85) << model;
    EXPECT_LT(result["test_loss"], 0.4) << model;
  }
}

TEST_F(fm_command, repeat_with_halves_whoever_trains_and_save_floats) {
  for (const std::string model : {"factorization_machine", "ffm"}) {
    const auto saved_by = [&](const char* engine) {
      const auto result = result_of(training(model, {engine, "--reproducible --save", file("halves.bin")}));
      EXPECT_GT(result["test_accuracy"], 0.85) << model;
      return read_file(file("halves.bin"));
    };
    const std::string threads = saved_by("--engine threads --workers 2 --storage half");
    EXPECT_EQ(saved_by("--engine processes --workers 2 --storage half"), threads);
    const std::string floats = saved_by("--engine threads --workers 2");
    EXPECT_NE(floats, threads);
    EXPECT_EQ(floats.size(), threads.size());
  }
}

TEST_F(fm_command, learn_numbers_of_any_size) {
  const outcome linear =
      hogwild({"train", file("train.numbers"), "--test", file("test.numbers"), "--model least_squares --bias --json"});
  EXPECT_GT(result_of(linear)["test_rmse"], 25.0);
  const auto result = result_of({"train", file("train.numbers"), "--test", file("test.numbers"),
                                 "--model factorization_machine --loss squared --factors 3 --save",
                                 file("numbers.model"), "--engine serial --json"});
  EXPECT_LT(result["test_rmse"], 1.0);
  expect_measured_alike(result, file("numbers.model"), file("test.numbers"), 1e-4);
}

TEST_F(fm_command, are_learned_by_every_engine) {
  for (const std::string& model : names()) {
    const auto serial = result_of(training(model, {"--engine serial"}));
    for (const char* const engine :
         {"threads --workers 2", "threads --workers 2 --sharing buffered",
          "threads --workers 2 --sharing direct --update exact", "threads --workers 2 --reproducible",
          "processes --workers 2", "ring --workers 2 --replicas 2",
          "ring --workers 2 --replicas 2 --transport shared_segment", "local_sgd --workers 2",
          "all_reduce --workers 2 --optimizer sgd --step 1"}) {
      const auto result = result_of(training(model, {"--engine", engine}));
      for (const char* const measure : {"test_loss", "test_accuracy"})
        EXPECT_NEAR(result[measure].get<double>(), serial[measure].get<double>(), 0.02 * serial[measure].get<double>())
            << model << " " << measure << " " << engine;
    }
  }
}

TEST_F(fm_command, are_saved_evaluated_and_asked_for_predictions) {
  for (const std::string& model : names()) {
    const std::string end = ending(model);
    for (const std::string& saved : {file("m.txt"), file("m.bin")}) {
      const auto result = result_of(training(model, {"--engine serial --save", saved}));
      expect_measured_alike(result, saved, file("test" + end), 1e-5);
    }
    // The second row has an unknown column, the third has a label.
    const std::string rows =
        end == ".ffm" ? "0:0:1 1:1:1\n0:0:1 1:0:1 7:9:1\n1 0:0:1 1:0:1\n" : "1:1 5:1\n1:1 4:1 90:1\n1 1:1 4:1\n";
    const outcome labels = hogwild({"predict", file("m.txt"), "-"}, rows);
    EXPECT_EQ(lines_of(labels.out), (std::vector<std::string>{"1", "0", "0"})) << model;
    EXPECT_THAT(labels.err, HasSubstr("1 entries in columns that the training data never had are left out"));
    const auto probabilities = lines_of(hogwild({"predict", file("m.txt"), "- --probabilities --quiet"}, rows).out);
    EXPECT_GT(std::stod(probabilities[0]), 0.7);
    EXPECT_LT(std::stod(probabilities[1]), 0.3);
  }
}

TEST_F(fm_command, go_on_from_what_was_saved) {
  for (const std::string& model : names()) {
    const std::string saved = file("begun.bin");
    const auto begun = result_of(training(model, {"--engine serial --save", saved}));
    const command_words on = {"--engine serial --epochs 1 --step 1e-6 --init", saved};
    const auto result = result_of(training(model, on));
    EXPECT_NEAR(result["test_loss"].get<double>(), begun["test_loss"].get<double>(), 1e-3) << model;
  }
  const auto begun =
      result_of({"train", file("train.numbers"),
                 "--model factorization_machine --loss squared --json --engine serial --save", file("numbers.bin")});
  // The first hundred labels have a mean of their own; that of the saved model counts.
  const std::string text = read_file(file("train.numbers"));
  write_file(file("some.numbers"), text.substr(0, text.find("\n70", 3000) + 1));
  EXPECT_LT(
      result_of({"train", file("some.numbers"),
                 "--model factorization_machine --loss squared --json --engine serial --epochs 1 --step 1e-6 --init",
                 file("numbers.bin")})["train_loss"],
      begun["train_loss"].get<double>() + 0.1);
}

TEST_F(fm_command, go_on_where_new_data_have_other_fields) {
  const std::string saved = file("four.bin"), wider = file("wider.bin"), five = file("five.ffm"), two = file("two.ffm");
  const auto begun = result_of(
      {"train", file("train.ffm"), "--model ffm --factors 3 --no-unit-rows --engine serial --json --save", saved});
  std::string more, fewer;
  for (const std::string& line : lines_of(read_file(file("train.ffm")))) {
    more += line + " 4:0:1\n";
    fewer += line.substr(0, line.find(" 2:")) + "\n";
  }
  write_file(five, more), write_file(two, fewer);
  const auto on = [&](const std::string& data, const command_words& also) {
    return hogwild(
        {"train", data, "--model ffm --engine serial --epochs 1 --step 1e-6 --l2 0 --json --init", saved, also});
  };
  // The column of the fifth field is in every row, and begins with a weight of 0 and small factors.
  EXPECT_NEAR(result_of(on(five, {"--save", wider}))["train_loss"].get<double>(), begun["train_loss"].get<double>(),
              0.1);
  const auto measured = result_of({"evaluate", wider, file("train.ffm"), "--json"});
  EXPECT_NEAR(measured["loss"].get<double>(), begun["train_loss"].get<double>(), 1e-3);
  // Parameters of fields that the new data lack are kept.
  result_of(on(two, {"--save", wider}));
  EXPECT_EQ(result_of({"inspect", wider, "--json"})["fields"], 4.0);
  EXPECT_EQ(result_of({"inspect", wider, "--json"})["factors"], 3.0);
  EXPECT_EQ(on(five, {"--factors 4 --init-groups weights,bias"}).code, 0);
}

TEST_F(fm_command, have_as_many_factors_as_the_one_that_they_begin_with) {
  const std::string saved = file("factors.bin"), again = file("again.bin");
  result_of(training("factorization_machine", {"--factors 5 --epochs 1 --save", saved}));
  result_of(training("factorization_machine", {"--epochs 1 --init", saved, "--save", again}));
  EXPECT_EQ(result_of({"inspect", again, "--json"})["factors"], 5.0);
}

TEST_F(fm_command, other_models_read_libffm_text_too) {
  const auto fields =
      result_of({"train", file("train.ffm"), "--format ffm --engine serial --test", file("test.ffm"), "--json"});
  EXPECT_GT(fields["test_loss"], 0.6);
  const auto machine = result_of(
      {"train", file("train.ffm"), "--format ffm --model factorization_machine --test", file("test.ffm"), "--json"});
  EXPECT_LT(machine["test_loss"], 0.4);
}

TEST_F(fm_command, frozen_groups_stay_as_they_begin) {
  const auto result = result_of(training("ffm", {"--engine serial --freeze weights,bias --save", file("frozen.txt")}));
  EXPECT_GT(result["test_accuracy"], 0.85);
  const auto lines = lines_of(read_file(file("frozen.txt")));
  EXPECT_THAT(lines, ::testing::Contains("bias 0"));
  std::size_t weights = 0;
  for (const std::string& line : lines) weights += line.front() <= '9' && line.find(" 0 ") != std::string::npos ? 1 : 0;
  EXPECT_EQ(weights, 10u) << "one for each column, and its factors behind it";
}

}  // namespace
}  // namespace hogwild::test
