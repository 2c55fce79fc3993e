// SPDX-License-Identifier: Apache-2.0
// hogwild train --engine cuda, as a user meets it.
#include <gmock/gmock.h>

#include "small_data.hpp"

namespace hogwild::test {
namespace {

using ::testing::HasSubstr;

class device_command : public with_small_data {
 protected:
  static std::vector<std::string> with(const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"train", train(), "--epochs", "5"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  static std::vector<std::string> emulated(const std::vector<std::string>& more) {
    std::vector<std::string> arguments = with({"--engine", "cuda", "--device", "emulated"});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
};

// None of twelve runs of each kind ended more than 0.1 % above the serial objective.
TEST_F(device_command, trains_in_every_kind_of_memory_and_says_so) {
  const double serial = result_of(hogwild(with({"--engine", "serial", "--json"})))["objective"];
  const std::string record = *folder / "device.jsonl";
  const std::vector<std::vector<std::string>> ways = {{"--device-memory", "device"},
                                                      {"--device-memory", "pinned"},
                                                      {"--device-memory", "managed"},
                                                      {"--device-memory", "pinned", "--transport", "shared_segment"}};
  for (const std::vector<std::string>& way : ways) {
    std::filesystem::remove(record);
    std::vector<std::string> arguments = emulated(way);
    arguments.insert(arguments.end(), {"--workers", "1", "--json", "--record", record});
    const auto result = result_of(hogwild(arguments));
    EXPECT_EQ(result["status"], "done");
    EXPECT_EQ(result["workers"], 2);
    EXPECT_EQ(result["devices"][0]["memory"], way[1]);
    EXPECT_EQ(result["devices"][0]["storage"], "float");
    EXPECT_LT(result["objective"].get<double>(), 1.05 * serial) << way[1];
    const auto lines = lines_of(read_file(record));
    EXPECT_EQ(nlohmann::json::parse(lines.back())["devices"][0]["memory"], way[1]);
    EXPECT_EQ(nlohmann::json::parse(lines.front())["options"]["sharing"], way[1] == "device" ? "buffered" : "direct");
  }
  EXPECT_THAT(hogwild(emulated({"--device-memory", "pinned"})).out,
              HasSubstr("device      emulated, pinned memory; at most"));
}

TEST_F(device_command, usage_is_2_with_a_sentence) {
  struct wrong {
    std::vector<std::string> arguments;
    std::string said;
  };
  const wrong cases[] = {
      {with({"--device-memory", "pinned"}), "it needs --engine cuda"},
      {with({"--storage", "half"}), "half storage is for factors of columns"},
      {with({"--engine", "ring", "--storage", "half"}), "it needs --engine threads, processes or cuda"},
      {emulated({"--storage", "half"}), "leave the storage at float"},
      {with({"--device", "0"}), "it needs --engine cuda"},
      {with({"--engine", "all_reduce", "--device", "emulated"}), "it needs --engine cuda or ring"},
      {with({"--engine", "local_sgd", "--device", "0,1"}), "it needs --engine cuda or ring"},
      {with({"--engine", "all_reduce", "--device-memory", "pinned"}), "it needs --engine cuda"},
      {with({"--engine", "ring", "--device", "emulated", "--device-memory", "pinned"}), "it needs --engine cuda"},
      {emulated({"--collective", "nccl"}), "it needs --engine all_reduce or local_sgd"},
      {emulated({"--sync-rows", "64"}), "it needs --engine all_reduce or local_sgd"},
      {emulated({"--rank-timeout", "5"}), "it needs --engine ring, all_reduce or local_sgd"},
      {emulated({"--replicas", "2"}), "it needs --engine ring"},
      {emulated({"--transport", "mpi"}), "leave out --transport mpi"},
      {emulated({"--device-memory", "mine"}), "'mine'"},
      {emulated({"--device-memory", "managed", "--transport", "shared_segment"}), "use threads, or pinned memory"},
      {emulated({"--device-memory", "pinned", "--sharing", "buffered"}), "leave the sharing at auto"},
      {emulated({"--sharing", "direct"}), "or take pinned memory"},
      {emulated({"--device-memory", "pinned", "--update", "locked"}), "a device has no locks"},
      {emulated({"--device-memory", "managed", "--reproducible"}), "not possible on a device"}};
  for (const wrong& c : cases) {
    const outcome o = hogwild(c.arguments);
    EXPECT_EQ(o.code, 2) << c.said << "\n" << o.err;
    EXPECT_THAT(o.err, HasSubstr(c.said));
    EXPECT_EQ(o.out, "");
  }
}

}  // namespace
}  // namespace hogwild::test
