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
  static outcome trained(const command_words& more) {
    return hogwild({"train", train(), "--engine threads --workers 2", more});
  }
};

TEST_F(regularisation_command, l1_leaves_fewer_parameters_and_says_how_many_are_none) {
  for (const char* const optimizer : {"sgd", "adagrad", "ftrl"}) {
    const std::string model = *folder / (std::string(optimizer) + ".txt");
    const auto with = [&](const command_words& more) {
      return trained({"--l1 0.001 --epochs 10 --optimizer", optimizer, more});
    };
    const auto run = result_of(with({"--json --save", model}));
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
  const auto run = result_of(trained(
      {"--schedule plateau --step 1 --warm-up 2 --validation 0.2 --patience 20 --epochs 12 --average 0.5 --record",
       record, "--json"}));
  EXPECT_EQ(run["schedule"], "plateau");
  EXPECT_EQ(run["decay"], 0.5);
  EXPECT_EQ(run["epochs"], 12);
  const auto told = record_in(record);
  const auto& options = told.front()["options"];
  EXPECT_EQ(options["warm_up"], 2);
  EXPECT_EQ(options["average"], 0.5);
  EXPECT_DOUBLE_EQ(told[1]["step"].get<double>(), 1.0 / 3.0);
  EXPECT_DOUBLE_EQ(told[3]["step"].get<double>(), 1.0);
  // The same seed holds the same rows back.
  const auto loss = [&](const char* seed) {
    return result_of({"train", train(), "--engine serial --epochs 2 --step 0.5 --validation 0.2 --seed", seed,
                      "--json"})["validation_loss"]
        .get<double>();
  };
  EXPECT_EQ(loss("3"), loss("3"));
  EXPECT_NE(loss("3"), loss("4"));
}

}  // namespace
}  // namespace hogwild::test
