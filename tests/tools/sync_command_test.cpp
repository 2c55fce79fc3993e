// SPDX-License-Identifier: Apache-2.0
// hogwild train --engine all_reduce and local_sgd, as a user meets them.
#include <gmock/gmock.h>

#include <csignal>

#include "small_data.hpp"

namespace hogwild::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class sync_command : public with_small_data {
 protected:
  static std::vector<std::string> with(const std::string& engine, const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"train", train(), "--engine", engine};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
};

class each_rule : public sync_command, public ::testing::WithParamInterface<const char*> {};

TEST_P(each_rule, trains_says_so_and_leaves_a_model_that_predicts) {
  const std::string model = *folder / "sync.bin", again = *folder / "again.bin", record = *folder / "sync.jsonl";
  const auto serial = result_of(hogwild({"train", train(), "--engine", "serial", "--epochs", "5", "--json"}));
  const std::vector<std::string> arguments =
      with(GetParam(), {"--workers", "3", "--sync-rows", "8", "--epochs", "5", "--test", test(), "--quiet", "--json"});
  auto first = arguments, second = arguments;
  first.insert(first.end(), {"--save", model, "--record", record});
  second.insert(second.end(), {"--save", again});
  const auto result = result_of(hogwild(first));
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

  const auto lines = lines_of(read_file(record));
  EXPECT_EQ(nlohmann::json::parse(lines.front())["options"]["engine"], GetParam());
  EXPECT_EQ(nlohmann::json::parse(lines.front())["options"]["exchange_rows"], 8);
  EXPECT_EQ(nlohmann::json::parse(lines.back())["meetings"]["bytes"], result["meetings"]["bytes"]);

  const auto measured = result_of(hogwild({"evaluate", model, test(), "--json"}));
  EXPECT_DOUBLE_EQ(measured["accuracy"], result["test_accuracy"]);
  ASSERT_EQ(hogwild(second).code, 0);
  EXPECT_TRUE(read_file(model) == read_file(again)) << "another run gave other bits";
  second.insert(second.end(), {"--transport", "shared_segment"});
  ASSERT_EQ(hogwild(second).code, 0);
  EXPECT_TRUE(read_file(model) == read_file(again)) << "worker processes gave other bits";
}

TEST_P(each_rule, an_interrupt_is_130_with_the_model_saved) {
  const std::string model = *folder / "interrupted.bin";
  std::filesystem::remove(model);
  running_command run(with(GetParam(), {"--workers", "2", "--epochs", "100000000", "--save", model, "--json"}));
  ASSERT_TRUE(run.says("epoch 3/")) << run.err();
  run.signal(SIGINT);
  const outcome o = run.wait();
  EXPECT_EQ(o.code, 130) << o.err;
  EXPECT_EQ(nlohmann::json::parse(o.out)["status"], "stopped");
  EXPECT_EQ(hogwild({"evaluate", model, test()}).code, 0);
}

INSTANTIATE_TEST_SUITE_P(every, each_rule, ::testing::Values("all_reduce", "local_sgd"),
                         [](const auto& tried) { return std::string(tried.param); });

TEST_F(sync_command, the_summary_says_what_ranks_handed_over) {
  const outcome o = hogwild(with("all_reduce", {"--workers", "2", "--epochs", "2"}));
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.out, AllOf(HasSubstr("engine      all_reduce, 2 workers"), HasSubstr("meetings    "),
                           HasSubstr(" of arrays, "), HasSubstr(" of pairs; "), HasSubstr(" KB of each rank")));
}

TEST_F(sync_command, usage_is_2_with_a_sentence) {
  struct wrong {
    std::vector<std::string> arguments;
    std::string said;
  };
  const wrong cases[] = {
      {{"train", train(), "--sync-rows", "8"}, "it needs --engine all_reduce or local_sgd"},
      {with("ring", {"--sync-rows", "8"}), "it needs --engine all_reduce or local_sgd"},
      {with("local_sgd", {"--scale-step", "--step", "0.1"}), "it needs --engine all_reduce"},
      {with("all_reduce", {"--scale-step"}), "give a step to have it scaled"},
      {with("all_reduce", {"--sync-rows", "0"}), "after 1 to "},
      {with("all_reduce", {"--sync-rows", "some"}), "'some' is not a whole number"},
      {with("all_reduce", {"--optimizer", "adagrad", "--l1", "0.1"}), "use local_sgd"},
      {with("all_reduce", {"--team", "tbb"}), "are std threads"},
      {with("local_sgd", {"--shards", "claimed"}), "leave out --shards"},
      {with("local_sgd", {"--sharing", "direct"}), "leave the sharing at auto"},
      {with("local_sgd", {"--update", "exact"}), "leave out the update"},
      {with("local_sgd", {"--reproducible"}), "leave out reproducible"},
      {with("threads", {"--collective", "nccl"}), "it needs --engine all_reduce or local_sgd"},
      {with("all_reduce", {"--collective", "gloo"}), "neither 'auto' nor 'nccl'"},
      {with("all_reduce", {"--collective", "nccl", "--transport", "shared_segment"}), "leave out the transport"}};
  for (const wrong& c : cases) {
    const outcome o = hogwild(c.arguments);
    EXPECT_EQ(o.code, 2) << c.said << "\n" << o.err;
    EXPECT_THAT(o.err, HasSubstr(c.said));
    EXPECT_EQ(o.out, "");
  }
}

TEST_F(sync_command, fewer_devices_than_ranks_is_4_with_a_sentence) {
  const std::string more = "40";  // than any machine has
  const outcome o = hogwild(with("all_reduce", {"--collective", "nccl", "--workers", more, "--quiet"}));
  EXPECT_EQ(o.code, 4) << o.err;
  EXPECT_THAT(o.err, AllOf(HasSubstr(" of 40 of --collective nccl has no CUDA device of its own: "),
                           HasSubstr("use no more ranks than devices")));
  EXPECT_EQ(lines_of(o.err).size(), 1u) << o.err;
  EXPECT_EQ(o.out, "");
}

TEST_F(sync_command, a_killed_rank_is_1_with_a_sentence) {
  running_command run(with("all_reduce", {"--workers", "2", "--transport", "shared_segment", "--epochs", "100000000"}));
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
  const auto run = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--workers", "2", "--epochs", "2", "--quiet", "--json"});
    return result_of(hogwild(with("all_reduce", more)))["objective"].get<double>();
  };
  EXPECT_LT(run({"--step", "0.5", "--scale-step"}), run({"--step", "0.5"}));
  EXPECT_NEAR(run({"--step", "0.5", "--scale-step"}), run({"--step", "1"}), 1e-4);
}

}  // namespace
}  // namespace hogwild::test
