// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

#include "small_data.hpp"

namespace hogwild::test {
namespace {

using testing::HasSubstr;

class regularisation_command : public with_small_data {
 protected:
  static outcome trained(std::vector<std::string> more, const std::string& engine = "threads") {
    more.insert(more.begin(), {"train", train(), "--engine", engine, "--workers", "2"});
    return hogwild(more);
  }
  static void expect_refusal(const std::vector<std::string>& more, const std::string& sentence,
                             const std::string& engine = "threads") {
    const outcome o = trained(more, engine);
    EXPECT_EQ(o.code, 2) << o.out;
    EXPECT_THAT(o.err, HasSubstr(sentence));
  }
};

TEST_F(regularisation_command, l1_leaves_fewer_parameters_and_says_how_many_are_none) {
  for (const char* const optimizer : {"sgd", "adagrad", "ftrl"}) {
    const std::string model = *folder / (std::string(optimizer) + ".txt");
    const std::vector<std::string> line{"--l1", "0.001", "--optimizer", optimizer, "--epochs", "10"};
    const auto with = [&](std::vector<std::string> more) {
      more.insert(more.begin(), line.begin(), line.end());
      return trained(more);
    };
    const auto run = result_of(with({"--json", "--save", model}));
    EXPECT_EQ(run["l1"], 0.001);
    EXPECT_EQ(run["l2"], 0.0);
    EXPECT_GT(run["zeros"].get<std::size_t>(), 100u) << optimizer;
    std::size_t zeros = 0;
    for (const std::string& text : lines_of(read_file(model))) zeros += text.ends_with(" 0") ? 1 : 0;
    EXPECT_GE(zeros, run["zeros"].get<std::size_t>()) << optimizer;
    EXPECT_THAT(with({}).out, HasSubstr("parameters are 0")) << optimizer;
  }
}

TEST_F(regularisation_command, averages_warms_up_and_follows_a_plateau) {
  const std::string record = *folder / "plateau.jsonl";
  const auto run =
      result_of(trained({"--schedule", "plateau", "--step", "1", "--warm-up", "2", "--validation", "0.2", "--patience",
                         "20", "--epochs", "12", "--average", "0.5", "--record", record, "--json"}));
  EXPECT_EQ(run["schedule"], "plateau");
  EXPECT_EQ(run["decay"], 0.5);
  EXPECT_EQ(run["epochs"], 12);
  const auto lines = lines_of(read_file(record));
  const auto options = nlohmann::json::parse(lines.front())["options"];
  EXPECT_EQ(options["warm_up"], 2);
  EXPECT_EQ(options["average"], 0.5);
  EXPECT_DOUBLE_EQ(nlohmann::json::parse(lines[1])["step"].get<double>(), 1.0 / 3.0);
  EXPECT_DOUBLE_EQ(nlohmann::json::parse(lines[3])["step"].get<double>(), 1.0);
  // The same seed holds the same rows back.
  const auto loss = [&](const char* seed) {
    return result_of(hogwild({"train", train(), "--engine", "serial", "--epochs", "2", "--step", "0.5", "--validation",
                              "0.2", "--seed", seed, "--json"}))["validation_loss"]
        .get<double>();
  };
  EXPECT_EQ(loss("3"), loss("3"));
  EXPECT_NE(loss("3"), loss("4"));
}

TEST_F(regularisation_command, refuses_what_does_not_go_together) {
  expect_refusal({"--schedule", "plateau"}, "give validation rows, or a fraction");
  expect_refusal({"--epochs", "3", "--warm-up", "3"}, "warm up for fewer");
  expect_refusal({"--average", "much"}, "'much' is no number");
  expect_refusal({"--epochs", "3", "--average", "0.1"}, "a single epoch");
  expect_refusal({"--l1", "0.1", "--optimizer", "adam"}, "moves all columns");
  expect_refusal({"--l1", "0.1", "--l2-form", "two_pass", "--step", "0.1"}, "no second pass");
  expect_refusal({"--optimizer", "ftrl", "--decay", "0.5"}, "a constant step has no decay");
  expect_refusal({"--optimizer", "ftrl", "--model", "softmax"}, "ftrl is for linear models");
  expect_refusal({"--device", "emulated", "--l1", "0.1"}, "a device does not take l1", "cuda");
  expect_refusal({"--l1", "0.1", "--optimizer", "adagrad"}, "one linear model under sgd", "all_reduce");
  expect_refusal({"--schedule", "linear"}, "but under all_reduce", "local_sgd");
}

}  // namespace
}  // namespace hogwild::test
