// SPDX-License-Identifier: Apache-2.0
// hogwild train --engine all_reduce and local_sgd, as users run them.
#include <gmock/gmock.h>

#include <csignal>

#include "small_data.hpp"

namespace hogwild::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class sync_command : public with_small_data {
 protected:
  static command_words with(const std::string& engine, const command_words& more) {
    return {"train", train(), "--engine", engine, more};
  }
};

class each_rule : public sync_command, public ::testing::WithParamInterface<const char*> {};

TEST_P(each_rule, trains_says_so_and_leaves_a_model_that_predicts) {
  const std::string model = *folder / "sync.bin", again = *folder / "again.bin", record = *folder / "sync.jsonl";
  const auto serial = result_of({"train", train(), "--engine serial --epochs 5 --json"});
  const command_words run = with(GetParam(), {"--workers 3 --sync-rows 8 --epochs 5 --test", test(), "--quiet --json"});
  const auto result = result_of({run, "--save", model, "--record", record});
  EXPECT_EQ(result["status"], "done");
  EXPECT_EQ(result["engine"], GetParam());
  EXPECT_EQ(result["workers"], 3);
  EXPECT_EQ(result["examples"], 5 * lines_of(read_file(train())).size());
  ASSERT_TRUE(result.contains("meetings"));
  EXPECT_EQ(result["meetings"]["ranks"], 3);
  EXPECT_GT(result["meetings"]["dense"].get<int>() + result["meetings"]["sparse"].get<int>(), 500);
  for (const char* count : {"dense", "sparse", "bytes", "seconds"})
    EXPECT_TRUE(result["meetings"].contains(count)) << count;
  // The mean keeps a third of the gains of three ranks, so it would need more epochs.
  const double band = GetParam() == std::string("local_sgd") ? 1.1 : 1.02;
  EXPECT_LT(result["objective"].get<double>(), band * serial["objective"].get<double>());
  EXPECT_FALSE(serial.contains("meetings"));

  const auto told = record_in(record);
  EXPECT_EQ(told.front()["options"]["engine"], GetParam());
  EXPECT_EQ(told.front()["options"]["exchange_rows"], 8);
  EXPECT_EQ(told.back()["meetings"]["bytes"], result["meetings"]["bytes"]);

  expect_measured_alike(result, model, test());
  for (const char* const transport : {"in_process", "shared_segment"}) {
    ASSERT_EQ(hogwild({run, "--save", again, "--transport", transport}).code, 0);
    EXPECT_TRUE(read_file(model) == read_file(again)) << "another run gave other bits, " << transport;
  }
}

INSTANTIATE_TEST_SUITE_P(every, each_rule, ::testing::Values("all_reduce", "local_sgd"),
                         [](const auto& tried) { return std::string(tried.param); });

TEST_F(sync_command, the_summary_says_what_ranks_handed_over) {
  const outcome o = hogwild(with("all_reduce", {"--workers 2 --epochs 2"}));
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.out, AllOf(HasSubstr("engine      all_reduce, 2 workers"), HasSubstr("meetings    "),
                           HasSubstr(" of arrays, "), HasSubstr(" of pairs; "), HasSubstr(" KB of each rank")));
}

TEST_F(sync_command, a_killed_rank_is_1_with_a_sentence) {
  running_command run(with("all_reduce", {"--workers 2 --transport shared_segment --epochs 100000000"}));
  ASSERT_TRUE(run.says("epoch 3/")) << run.err();
  const std::string children =
      read_file("/proc/" + std::to_string(run.pid()) + "/task/" + std::to_string(run.pid()) + "/children");
  ASSERT_NE(children, "");
  ASSERT_EQ(::kill(std::stoi(children), SIGKILL), 0);
  const outcome o = run.wait();
  EXPECT_EQ(o.code, 1);
  EXPECT_THAT(o.err, AllOf(HasSubstr("rank 0 of 2 (process "), HasSubstr("start the run again")));
  EXPECT_EQ(o.out, "");
}

TEST_F(sync_command, a_scaled_step_is_heard) {
  const auto run = [&](const char* step) {
    return result_of(with("all_reduce", {step, "--workers 2 --epochs 2 --quiet --json"}))["objective"].get<double>();
  };
  EXPECT_LT(run("--step 0.5 --scale-step"), run("--step 0.5"));
  EXPECT_NEAR(run("--step 0.5 --scale-step"), run("--step 1"), 1e-4);
}

}  // namespace
}  // namespace hogwild::test
