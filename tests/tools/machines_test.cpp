// SPDX-License-Identifier: Apache-2.0
// Factorization machines from the command line: train, evaluate, predict, and refusals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include <hogwild/detail/kernels/layer_kernels.hpp>

#include "command.hpp"

namespace hogwild::test {
namespace {

using ::testing::HasSubstr;

/// Four fields with two or three values each. A label is positive where the values of the first two differ, but turned
/// over in a tenth of the rows: no single value says anything of it.
class machines : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder = std::make_unique<scratch_folder>();
    write("train", 2000, 1);
    write("test", 1000, 2);
  }
  static void TearDownTestSuite() { folder.reset(); }

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
  static std::string file(const std::string& name) { return *folder / name; }
  static std::string ending(const std::string& model) { return model == "ffm" || model == "deepfm" ? ".ffm" : ".svm"; }
  /// Those that this build has.
  static std::vector<std::string> names() {
    std::vector<std::string> all{"factorization_machine", "ffm"};
    if (has_layer_kernels()) all.push_back("deepfm");
    return all;
  }

  static std::vector<std::string> training(const std::string& model, const std::vector<std::string>& more) {
    const std::string end = ending(model);
    std::vector<std::string> all{"train", file("train" + end), "--test", file("test" + end), "--model", model,
                                 "--json"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  static nlohmann::json result_of(const outcome& o) {
    EXPECT_EQ(o.code, 0) << o.err;
    return o.code == 0 ? nlohmann::json::parse(o.out) : nlohmann::json();
  }

  inline static std::unique_ptr<scratch_folder> folder;
};

// Nine tenths of 1,000 labels follow the rule, give or take 9.5: five deviations are 0.05.
TEST_F(machines, learn_by_defaults_what_no_linear_model_can) {
  EXPECT_LT(result_of(hogwild(training("logistic", {"--bias"})))["test_accuracy"], 0.6);
  for (const std::string& model : names()) {
    const auto result = result_of(hogwild(training(model, {"--engine", "serial"})));
    EXPECT_GT(result["test_accuracy"], 0.85) << model;
    EXPECT_LT(result["test_loss"], 0.4) << model;
  }
}

TEST_F(machines, repeat_with_halves_whoever_trains_and_save_floats) {
  for (const std::string model : {"factorization_machine", "ffm"}) {
    const auto saved_by = [&](const std::vector<std::string>& engine) {
      std::vector<std::string> more = engine;
      more.insert(more.end(), {"--reproducible", "--save", file("halves.bin")});
      const auto result = result_of(hogwild(training(model, more)));
      EXPECT_GT(result["test_accuracy"], 0.85) << model;
      return read_file(file("halves.bin"));
    };
    const std::string threads = saved_by({"--engine", "threads", "--workers", "2", "--storage", "half"});
    EXPECT_EQ(saved_by({"--engine", "processes", "--workers", "2", "--storage", "half"}), threads);
    const std::string floats = saved_by({"--engine", "threads", "--workers", "2"});
    EXPECT_NE(floats, threads);
    EXPECT_EQ(floats.size(), threads.size());
  }
}

TEST_F(machines, learn_numbers_of_any_size) {
  const outcome linear = hogwild(
      {"train", file("train.numbers"), "--test", file("test.numbers"), "--model", "least_squares", "--bias", "--json"});
  EXPECT_GT(result_of(linear)["test_rmse"], 25.0);
  const auto result = result_of(hogwild({"train", file("train.numbers"), "--test", file("test.numbers"), "--model",
                                         "factorization_machine", "--loss", "squared", "--factors", "3", "--save",
                                         file("numbers.model"), "--engine", "serial", "--json"}));
  EXPECT_LT(result["test_rmse"], 1.0);
  const auto measured = result_of(hogwild({"evaluate", file("numbers.model"), file("test.numbers"), "--json"}));
  EXPECT_NEAR(measured["rmse"].get<double>(), result["test_rmse"].get<double>(), 1e-4);
}

TEST_F(machines, are_learned_by_every_engine) {
  for (const std::string& model : names()) {
    const auto serial = result_of(hogwild(training(model, {"--engine", "serial"})));
    const std::vector<std::vector<std::string>> engines = {
        {"--engine", "threads", "--workers", "2"},
        {"--engine", "threads", "--workers", "2", "--sharing", "buffered"},
        {"--engine", "threads", "--workers", "2", "--sharing", "direct", "--update", "exact"},
        {"--engine", "threads", "--workers", "2", "--reproducible"},
        {"--engine", "processes", "--workers", "2"},
        {"--engine", "ring", "--workers", "2", "--replicas", "2"},
        {"--engine", "ring", "--workers", "2", "--replicas", "2", "--transport", "shared_segment"},
        {"--engine", "local_sgd", "--workers", "2"},
        {"--engine", "all_reduce", "--workers", "2", "--optimizer", "sgd", "--step", "1"}};
    for (const auto& engine : engines) {
      const auto result = result_of(hogwild(training(model, engine)));
      for (const char* const measure : {"test_loss", "test_accuracy"})
        EXPECT_NEAR(result[measure].get<double>(), serial[measure].get<double>(), 0.02 * serial[measure].get<double>())
            << model << " " << measure << " " << ::testing::PrintToString(engine);
    }
  }
}

TEST_F(machines, are_saved_evaluated_and_asked_for_predictions) {
  for (const std::string& model : names()) {
    const std::string end = ending(model);
    for (const std::string& saved : {file("m.txt"), file("m.bin")}) {
      const auto result = result_of(hogwild(training(model, {"--engine", "serial", "--save", saved})));
      const auto measured = result_of(hogwild({"evaluate", saved, file("test" + end), "--json"}));
      EXPECT_NEAR(measured["loss"].get<double>(), result["test_loss"].get<double>(), 1e-5);
      EXPECT_EQ(measured["accuracy"], result["test_accuracy"]);
    }
    // The second row has an unknown column, the third has a label.
    const std::string rows =
        end == ".ffm" ? "0:0:1 1:1:1\n0:0:1 1:0:1 7:9:1\n1 0:0:1 1:0:1\n" : "1:1 5:1\n1:1 4:1 90:1\n1 1:1 4:1\n";
    const outcome labels = hogwild({"predict", file("m.txt"), "-"}, rows);
    EXPECT_EQ(lines_of(labels.out), (std::vector<std::string>{"1", "0", "0"})) << model;
    EXPECT_THAT(labels.err, HasSubstr("1 entries in columns that the training data never had are left out"));
    const auto probabilities =
        lines_of(hogwild({"predict", file("m.txt"), "-", "--probabilities", "--quiet"}, rows).out);
    EXPECT_GT(std::stod(probabilities[0]), 0.7);
    EXPECT_LT(std::stod(probabilities[1]), 0.3);
  }
}

TEST_F(machines, go_on_from_what_was_saved) {
  for (const std::string& model : names()) {
    const std::string saved = file("begun.bin");
    const auto begun = result_of(hogwild(training(model, {"--engine", "serial", "--save", saved})));
    const std::vector<std::string> on = {"--engine", "serial", "--epochs", "1", "--step", "1e-6", "--init", saved};
    const auto result = result_of(hogwild(training(model, on)));
    EXPECT_NEAR(result["test_loss"].get<double>(), begun["test_loss"].get<double>(), 1e-3) << model;
  }
  const auto begun = result_of(hogwild({"train", file("train.numbers"), "--model", "factorization_machine", "--loss",
                                        "squared", "--json", "--engine", "serial", "--save", file("numbers.bin")}));
  // The first hundred labels have a mean of their own; that of the saved model counts.
  const std::string text = read_file(file("train.numbers"));
  write_file(file("some.numbers"), text.substr(0, text.find("\n70", 3000) + 1));
  EXPECT_LT(result_of(hogwild({"train", file("some.numbers"), "--model", "factorization_machine", "--loss", "squared",
                               "--json", "--engine", "serial", "--epochs", "1", "--step", "1e-6", "--init",
                               file("numbers.bin")}))["train_loss"],
            begun["train_loss"].get<double>() + 0.1);
}

TEST_F(machines, go_on_where_new_data_have_other_fields) {
  const std::string saved = file("four.bin"), wider = file("wider.bin"), five = file("five.ffm"), two = file("two.ffm");
  const auto begun = result_of(hogwild({"train", file("train.ffm"), "--model", "ffm", "--factors", "3",
                                        "--no-unit-rows", "--engine", "serial", "--json", "--save", saved}));
  std::string more, fewer;
  for (const std::string& line : lines_of(read_file(file("train.ffm")))) {
    more += line + " 4:0:1\n";
    fewer += line.substr(0, line.find(" 2:")) + "\n";
  }
  write_file(five, more), write_file(two, fewer);
  const auto on = [&](const std::string& data, const std::vector<std::string>& also) {
    std::vector<std::string> all{"train",  data,   "--model", "ffm", "--engine", "serial", "--epochs", "1",
                                 "--step", "1e-6", "--l2",    "0",   "--json",   "--init", saved};
    all.insert(all.end(), also.begin(), also.end());
    return hogwild(all);
  };
  // The column of the fifth field is in every row, and begins with a weight of 0 and small factors.
  EXPECT_NEAR(result_of(on(five, {"--save", wider}))["train_loss"].get<double>(), begun["train_loss"].get<double>(),
              0.1);
  const auto measured = result_of(hogwild({"evaluate", wider, file("train.ffm"), "--json"}));
  EXPECT_NEAR(measured["loss"].get<double>(), begun["train_loss"].get<double>(), 1e-3);
  // Parameters of fields that the new data lack are kept.
  result_of(on(two, {"--save", wider}));
  EXPECT_EQ(result_of(hogwild({"inspect", wider, "--json"}))["fields"], 4.0);
  EXPECT_EQ(result_of(hogwild({"inspect", wider, "--json"}))["factors"], 3.0);

  const outcome refused = on(five, {"--factors", "4"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("'factors' has rows of 4 factors, that of the saved model of 3"));
  EXPECT_EQ(on(five, {"--factors", "4", "--init-groups", "weights,bias"}).code, 0);
}

TEST_F(machines, have_as_many_factors_as_the_one_that_they_begin_with) {
  const std::string saved = file("factors.bin"), again = file("again.bin");
  result_of(hogwild(training("factorization_machine", {"--factors", "5", "--epochs", "1", "--save", saved})));
  result_of(hogwild(training("factorization_machine", {"--epochs", "1", "--init", saved, "--save", again})));
  EXPECT_EQ(result_of(hogwild({"inspect", again, "--json"}))["factors"], 5.0);
  const outcome refused = hogwild(training("factorization_machine", {"--factors", "8", "--init", saved}));
  EXPECT_EQ(refused.code, 2) << "both are padded to as many";
  EXPECT_THAT(refused.err, HasSubstr("of 8 factors, that of the saved model of 5"));
}

TEST_F(machines, that_cannot_have_been_saved_so_are_bad_input) {
  const std::string saved = file("whole.txt"), damaged = file("damaged.txt");
  result_of(hogwild({"train", file("train.numbers"), "--model", "factorization_machine", "--loss", "squared",
                     "--epochs", "1", "--engine", "serial", "--save", saved, "--json"}));
  std::string text = read_file(saved);
  const std::size_t at = text.find("option scale ");
  ASSERT_NE(at, std::string::npos);
  write_file(damaged, text.replace(at, text.find('\n', at) - at, "option scale -30"));
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"predict", damaged, file("test.numbers")},
                                             {"evaluate", damaged, file("test.numbers")},
                                             {"train", file("test.numbers"), "--model", "factorization_machine",
                                              "--loss", "squared", "--init", damaged}}) {
    const outcome o = hogwild(command);
    EXPECT_EQ(o.code, 3) << command.front();
    EXPECT_THAT(
        o.err,
        HasSubstr("the option 'scale' of the saved factorization_machine model is -30; it should be a number above"));
  }
}

TEST_F(machines, other_models_read_libffm_text_too) {
  const auto fields = result_of(hogwild(
      {"train", file("train.ffm"), "--format", "ffm", "--engine", "serial", "--test", file("test.ffm"), "--json"}));
  EXPECT_GT(fields["test_loss"], 0.6);
  const auto machine = result_of(hogwild({"train", file("train.ffm"), "--format", "ffm", "--model",
                                          "factorization_machine", "--test", file("test.ffm"), "--json"}));
  EXPECT_LT(machine["test_loss"], 0.4);
}

TEST_F(machines, frozen_groups_stay_as_they_begin) {
  const auto result = result_of(
      hogwild(training("ffm", {"--engine", "serial", "--freeze", "weights,bias", "--save", file("frozen.txt")})));
  EXPECT_GT(result["test_accuracy"], 0.85);
  const auto lines = lines_of(read_file(file("frozen.txt")));
  EXPECT_THAT(lines, ::testing::Contains("bias 0"));
  std::size_t weights = 0;
  for (const std::string& line : lines) weights += line.front() <= '9' && line.find(" 0 ") != std::string::npos ? 1 : 0;
  EXPECT_EQ(weights, 10u) << "one for each column, and its factors behind it";
}

TEST_F(machines, what_cannot_be_done_is_said) {
  struct wrong {
    std::vector<std::string> arguments;
    int code;
    std::string said;
  };
  const std::string broken = file("broken.ffm"), large = file("large.ffm"), cut = file("cut.ffm");
  write_file(broken, "1 0:1:1\n0 0:1:1 1:x:1\n");
  write_file(large, "1 0:1:1\n0 0:4194304:1\n");
  write_file(cut, "1 0:1:1\n0 0:1\n");
  const std::string svm = file("train.svm"), ffm = file("train.ffm");
  const wrong cases[] = {
      {{"train", broken, "--model", "ffm"}, 3, broken + ":2:11: the index 'x' is not a whole number"},
      {{"train", large, "--model", "ffm"}, 3, large + ":2:5: the index '4194304' is too large"},
      {{"train", cut, "--model", "ffm"}, 3, cut + ":2:3: '0:1' is not 'field:index:value'"},
      {{"train", svm, "--model", "ffm"}, 3, svm + ":1:3: "},
      {{"train", file("train.numbers"), "--model", "factorization_machine"}, 0, ""},
      {{"train", ffm, "--model", "ffm", "--format", "libsvm"}, 2, "reads ffm, not --format libsvm"},
      {{"train", ffm, "--model", "factorization_machine"}, 3, ffm + ":1:"},
      {{"train", svm, "--loss", "squared"},
       2,
       "--loss needs --model factorization_machine, ffm or deepfm; of other models the name says it"},
      {{"train", svm, "--factors", "3"},
       2,
       "--factors needs --model matrix_factorization, factorization_machine, ffm or deepfm"},
      {{"train", svm, "--model", "factorization_machine", "--factors", "0"}, 2, "'0' is not a whole number above 0"},
      {{"train", svm, "--model", "factorization_machine", "--factors", "70000"},
       2,
       "the number of factors is 1 to 65536"},
      {{"train", svm, "--model", "factorization_machine", "--bias"}, 2, "a bias of its own"},
      {{"train", svm, "--model", "factorization_machine", "--no-unit-rows"}, 2, "--unit-rows needs --model ffm"},
      {{"train", svm, "--model", "factorization_machine", "--loss", "hinge"}, 2, "'hinge' is none of"},
      {{"train", ffm, "--model", "ffm", "--freeze", "factor"}, 2, "factors, weights, bias"},
  };
  for (const wrong& w : cases) {
    const outcome o = hogwild(w.arguments);
    EXPECT_EQ(o.code, w.code) << w.said << ": " << o.err;
    EXPECT_THAT(o.err, HasSubstr(w.said));
  }
}

}  // namespace
}  // namespace hogwild::test
