// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "small_data.hpp"

namespace hogwild::test {
namespace {

using ::testing::HasSubstr;

class exit_codes : public with_small_data {};

TEST_F(exit_codes, resources_are_4) {
  ASSERT_EQ(hogwild({"train", train(), "--epochs 1 --quiet --save", *folder / "full.bin"}).code, 0);
  EXPECT_EQ(running_command({"predict", *folder / "full.bin", test()}, "", "/dev/full").wait().code, 4);
}

TEST_F(exit_codes, a_diverged_run_is_5_with_advice_and_saves_nothing) {
  for (const char* engine : {"serial", "threads", "processes"}) {
    const std::string model = *folder / "diverged.bin";
    const outcome o = hogwild(
        {"train", train(), "--engine", engine, "--model least_squares --step 1e9 --l2 0 --save", model, "--json"});
    EXPECT_EQ(o.code, 5) << o.err;
    EXPECT_THAT(o.err, HasSubstr("step"));
    EXPECT_FALSE(std::filesystem::exists(model));
    EXPECT_EQ(nlohmann::json::parse(o.out)["status"], "diverged");
  }
}

}  // namespace
}  // namespace hogwild::test
