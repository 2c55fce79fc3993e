// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "small_data.hpp"

namespace hogwild::test {
namespace {

using ::testing::HasSubstr;

class reproducible_command : public with_small_data {
 protected:
  /// The bytes of the model that a run saves.
  static std::string model_of(const std::vector<std::string>& more) {
    std::vector<std::string> arguments{
        "train", train(), "--epochs", "4", "--reproducible", "--save", *folder / "model.bin", "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const outcome o = hogwild(arguments);
    EXPECT_EQ(o.code, 0) << o.err;
    return read_file(*folder / "model.bin");
  }
};

TEST_F(reproducible_command, saves_the_same_bytes_whoever_trains) {
  for (const std::vector<std::string>& model : {std::vector<std::string>{"--model", "logistic", "--bias"},
                                                {"--model", "softmax"},
                                                {"--optimizer", "adagrad"}}) {
    const auto with = [&](std::vector<std::string> more) {
      more.insert(more.end(), model.begin(), model.end());
      return model_of(more);
    };
    const std::string expected = with({"--engine", "serial"});
    EXPECT_FALSE(expected.empty());
    for (const char* workers : {"1", "2", "4"}) {
      EXPECT_EQ(with({"--engine", "threads", "--workers", workers}), expected);
      EXPECT_EQ(with({"--engine", "processes", "--workers", workers}), expected);
    }
    EXPECT_EQ(with({"--update", "exact", "--sharing", "buffered"}), expected);
    EXPECT_NE(with({"--virtual-workers", "3"}), expected);
  }
}

TEST_F(reproducible_command, records_how_the_work_was_dealt) {
  model_of({"--virtual-workers", "3", "--workers", "2", "--record", *folder / "record.jsonl"});
  const auto context = nlohmann::json::parse(lines_of(read_file(*folder / "record.jsonl")).at(0));
  EXPECT_EQ(context["options"]["reproducible"], true);
  EXPECT_EQ(context["options"]["virtual_workers"], 3);
  EXPECT_EQ(context["options"]["sharing"], "deterministic");
  EXPECT_THAT(context["options"]["sharing_reason"].get<std::string>(), HasSubstr("3 virtual workers"));
}

TEST_F(reproducible_command, refuses_what_does_not_go_with_it) {
  const std::pair<std::vector<std::string>, const char*> wrong[] = {
      {{"--virtual-workers", "2"}, "--reproducible"},
      {{"--reproducible", "--virtual-workers", "33"}, "more than the 32"},
      {{"--reproducible", "--sharing", "direct"}, "one shared array"},
      {{"--reproducible", "--sharing", "head"}, "shared tail"},
      {{"--reproducible", "--update", "locked"}, "locked"},
      {{"--reproducible", "--shards", "fixed"}, "shards"},
      {{"--sharing", "buffered", "--update", "locked"}, "without locks"},
      {{"--sharing", "head", "--model", "softmax"}, "margin models"}};
  for (const auto& [more, said] : wrong) {
    std::vector<std::string> arguments{"train", train()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const outcome o = hogwild(arguments);
    EXPECT_EQ(o.code, 2) << said;
    EXPECT_THAT(o.err, HasSubstr(said));
  }
}

}  // namespace
}  // namespace hogwild::test
