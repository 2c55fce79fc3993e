// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "small_data.hpp"

namespace hogwild::test {
namespace {

using ::testing::HasSubstr;

class reproducible_command : public with_small_data {
 protected:
  /// The bytes of the model that a run saves.
  static std::string model_of(const command_words& more) {
    const outcome o =
        hogwild({"train", train(), "--epochs 4 --reproducible --save", *folder / "model.bin", "--quiet", more});
    EXPECT_EQ(o.code, 0) << o.err;
    return read_file(*folder / "model.bin");
  }
};

TEST_F(reproducible_command, saves_the_same_bytes_whoever_trains) {
  for (const char* const model : {"--model logistic --bias", "--model softmax", "--optimizer adagrad"}) {
    const auto with = [&](const command_words& more) { return model_of({more, model}); };
    const std::string expected = with("--engine serial");
    EXPECT_FALSE(expected.empty());
    for (const char* workers : {"1", "2", "4"}) {
      EXPECT_EQ(with({"--engine threads --workers", workers}), expected);
      EXPECT_EQ(with({"--engine processes --workers", workers}), expected);
    }
    EXPECT_EQ(with({"--update exact --sharing buffered"}), expected);
    EXPECT_NE(with({"--virtual-workers 3"}), expected);
  }
}

TEST_F(reproducible_command, records_how_the_work_was_dealt) {
  model_of({"--virtual-workers 3 --workers 2 --record", *folder / "record.jsonl"});
  const auto context = record_in(*folder / "record.jsonl").at(0);
  EXPECT_EQ(context["options"]["reproducible"], true);
  EXPECT_EQ(context["options"]["virtual_workers"], 3);
  EXPECT_EQ(context["options"]["sharing"], "deterministic");
  EXPECT_THAT(context["options"]["sharing_reason"].get<std::string>(), HasSubstr("3 virtual workers"));
}

}  // namespace
}  // namespace hogwild::test
