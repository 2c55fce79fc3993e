// SPDX-License-Identifier: Apache-2.0
// hogwild train --engine ring, as a user meets it.
#include <gmock/gmock.h>

#include <csignal>

#include "small_data.hpp"

namespace hogwild::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class ring_command : public with_small_data {
 protected:
  static std::vector<std::string> ring(const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"train", train(), "--engine", "ring"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
};

struct ring_way {
  std::string exchange, transport;
};

class each_ring_way : public ring_command, public ::testing::WithParamInterface<ring_way> {};

TEST_P(each_ring_way, trains_says_so_and_leaves_a_model_that_predicts) {
  const auto& [exchange, transport] = GetParam();
  // Enough rows for some worker to reach several exchanges in every epoch: the first exchange of replica 0, or the
  // fifth of the other, which then takes the token over, goes around the ring.
  const std::string data = *folder / "more.svm", unseen = *folder / "unseen.svm", model = *folder / "ring.bin";
  if (!std::filesystem::exists(data)) {
    ASSERT_EQ(hogwild({"generate", data, "--test", unseen, "--rows", "40000", "--columns", "1500", "--nonzeros", "20",
                       "--noise", "0.02"})
                  .code,
              0);
  }
  const auto serial = result_of(hogwild({"train", data, "--engine", "serial", "--epochs", "5", "--json"}));
  const auto result =
      result_of(hogwild({"train",  data,         "--engine", "ring",        "--replicas", "2",        "--workers",
                         "4",      "--exchange", exchange,   "--transport", transport,    "--epochs", "5",
                         "--test", unseen,       "--save",   model,         "--quiet",    "--json"}));
  EXPECT_EQ(result["status"], "done");
  EXPECT_EQ(result["engine"], "ring");
  EXPECT_EQ(result["workers"], 4);
  EXPECT_EQ(result["examples"], 5 * lines_of(read_file(data)).size());
  ASSERT_TRUE(result.contains("ring"));
  EXPECT_EQ(result["ring"]["replicas"], 2);
  EXPECT_EQ(result["ring"]["exchange"], exchange);
  for (const char* count : {"exchanges", "bytes", "held_seconds", "waits", "taken_over", "memory"})
    EXPECT_TRUE(result["ring"].contains(count)) << count;
  EXPECT_EQ(result["ring"]["nodes"].size(), 2u);
  // Under the other rules nobody exchanges with who did not train meanwhile: perhaps never in so short a run. And they
  // keep the mean of what the replicas gain, for which they take up to twice as many epochs.
  const bool deltas = exchange == "deltas";
  if (deltas) {
    EXPECT_GT(result["ring"]["exchanges"], 0);
    EXPECT_GT(result["ring"]["bytes"], 0);
    EXPECT_GT(result["ring"]["held_seconds"], 0.0);
  }
  EXPECT_LT(result["objective"].get<double>(), (deltas ? 1.02 : 1.25) * serial["objective"].get<double>());

  const auto measured = result_of(hogwild({"evaluate", model, unseen, "--json"}));
  EXPECT_DOUBLE_EQ(measured["accuracy"], result["test_accuracy"]);
  const outcome predicted = hogwild({"predict", model, unseen});
  EXPECT_EQ(predicted.code, 0) << predicted.err;
  const auto labels = lines_of(predicted.out), rows = lines_of(read_file(unseen));
  ASSERT_EQ(labels.size(), rows.size());
  std::size_t right = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) right += rows[r].substr(0, rows[r].find(' ')) == labels[r];
  EXPECT_DOUBLE_EQ(static_cast<double>(right) / static_cast<double>(rows.size()), measured["accuracy"]);
}

INSTANTIATE_TEST_SUITE_P(every, each_ring_way,
                         ::testing::Values(ring_way{"deltas", "in_process"}, ring_way{"average", "in_process"},
                                           ring_way{"released", "in_process"}, ring_way{"deltas", "shared_segment"},
                                           ring_way{"average", "shared_segment"},
                                           ring_way{"released", "shared_segment"}),
                         [](const auto& tried) { return tried.param.exchange + "_" + tried.param.transport; });

TEST_F(ring_command, the_summary_names_the_ring) {
  const outcome o = hogwild(ring({"--replicas", "2", "--workers", "2", "--epochs", "5"}));
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.out, AllOf(HasSubstr("engine      ring, 2 workers"), HasSubstr("ring        2 replicas on memory node"),
                           HasSubstr(", deltas; ")));
  EXPECT_THAT(o.out, HasSubstr(" exchanges of "));
}

TEST_F(ring_command, binds_workers_of_any_thread_team_or_leaves_them_alone) {
  for (const char* team : {"openmp", "tbb", "std"}) {
    for (const char* pin : {"--pin", "--no-pin"}) {
      const outcome o =
          hogwild(ring({"--replicas", "2", "--workers", "2", "--epochs", "2", "--team", team, pin, "--quiet"}));
      EXPECT_EQ(o.code, 0) << o.err;
    }
  }
}

TEST_F(ring_command, one_replica_is_no_ring) {
  const std::vector<std::string> arguments = ring({"--replicas", "1", "--workers", "1", "--epochs", "5", "--quiet"});
  auto alone = arguments;
  alone.insert(alone.end(), {"--save", *folder / "one.bin", "--json"});
  EXPECT_FALSE(result_of(hogwild(alone)).contains("ring"));
  ASSERT_EQ(
      hogwild({"train", train(), "--engine", "serial", "--epochs", "5", "--quiet", "--save", *folder / "serial.bin"})
          .code,
      0);
  EXPECT_TRUE(read_file(*folder / "one.bin") == read_file(*folder / "serial.bin"));
}

TEST_F(ring_command, a_general_model_and_a_checkpoint_go_round_as_well) {
  std::string rows;
  for (int k = 0; k < 600; ++k) rows += std::to_string(k % 3) + " " + std::to_string(k % 3 + 1) + ":1\n";
  write_file(*folder / "three.svm", rows);
  for (const char* transport : {"in_process", "shared_segment"}) {
    const std::vector<std::string> common = {"train",
                                             *folder / "three.svm",
                                             "--engine",
                                             "ring",
                                             "--replicas",
                                             "2",
                                             "--workers",
                                             "2",
                                             "--model",
                                             "softmax",
                                             "--step",
                                             "0.5",
                                             "--transport",
                                             transport,
                                             "--json",
                                             "--test",
                                             *folder / "three.svm"};
    auto first = common, second = common;
    first.insert(first.end(), {"--epochs", "3", "--checkpoint", *folder / "ring.ckpt"});
    second.insert(second.end(), {"--epochs", "6", "--resume", *folder / "ring.ckpt"});
    EXPECT_EQ(result_of(hogwild(first))["epochs"], 3);
    const auto result = result_of(hogwild(second));
    EXPECT_EQ(result["epochs"], 6);
    EXPECT_EQ(result["test_accuracy"], 1.0);
  }
}

TEST_F(ring_command, usage_is_2_with_a_sentence) {
  struct wrong {
    std::vector<std::string> arguments;
    std::string said;
  };
  const wrong cases[] = {
      {{"train", train(), "--replicas", "2"}, "--replicas is about replicas on a ring: it needs --engine ring"},
      {{"train", train(), "--engine", "processes", "--exchange", "average"}, "--exchange is about replicas on a ring"},
      {{"train", train(), "--engine", "serial", "--transport", "in_process"}, "--transport is about replicas or ranks"},
      {ring({"--replicas", "4", "--workers", "2"}), "4 replicas need as many workers at least, but there are 2"},
      {ring({"--replicas", "4", "--workers", "2", "--transport", "shared_segment"}), "4 replicas need as many workers"},
      {ring({"--team", "tbb", "--transport", "shared_segment"}), "--team is about threads"},
      {ring({"--exchange", "bogus"}), "'bogus' is none of deltas|average|released"},
      {ring({"--transport", "pigeon"}), "'pigeon' is none of in_process|shared_segment"},
      {ring({"--replicas", "-1"}), "'-1' is not a whole number"},
      {ring({"--replicas", "two"}), "'two' is not a whole number"},
      {ring({"--replicas", "2", "--workers", "2", "--update", "locked"}), "without locks"},
      {ring({"--replicas", "2", "--workers", "2", "--reproducible"}), "a reproducible run is not possible on a ring"},
      {ring({"--replicas", "2", "--workers", "2", "--sharing", "direct"}), "leave the sharing at auto"}};
  for (const wrong& c : cases) {
    const outcome o = hogwild(c.arguments);
    EXPECT_EQ(o.code, 2) << c.said << "\n" << o.err;
    EXPECT_THAT(o.err, HasSubstr(c.said));
    EXPECT_EQ(o.out, "");
  }
}

TEST_F(ring_command, an_interrupt_is_130_with_the_model_saved) {
  for (const char* transport : {"in_process", "shared_segment"}) {
    const std::string model = *folder / "interrupted.bin";
    std::filesystem::remove(model);
    running_command run(ring({"--replicas", "2", "--workers", "2", "--transport", transport, "--epochs", "100000000",
                              "--save", model, "--json"}));
    ASSERT_TRUE(run.says("epoch 3/")) << run.err();
    run.signal(SIGINT);
    const outcome o = run.wait();
    EXPECT_EQ(o.code, 130) << o.err;
    EXPECT_EQ(nlohmann::json::parse(o.out)["status"], "stopped");
    EXPECT_EQ(hogwild({"evaluate", model, test()}).code, 0);
  }
}

TEST_F(ring_command, a_worker_joins_by_hand) {
  running_command run(
      ring({"--replicas", "2", "--workers", "2", "--transport", "shared_segment", "--epochs", "100000000", "--json"}));
  ASSERT_TRUE(run.says("epoch 1/")) << run.err();
  std::string name;
  for (const auto& segment : nlohmann::json::parse(hogwild({"segments", "--json"}).out)) {
    if (segment["name"].get<std::string>().starts_with("hogwild-" + std::to_string(run.pid()) + "-"))
      name = segment["name"];
  }
  ASSERT_NE(name, "");
  running_command worker({"worker", "--attach", name});
  EXPECT_TRUE(run.says("has joined as a worker")) << run.err();
  run.signal(SIGINT);
  const outcome o = run.wait();
  EXPECT_EQ(o.code, 130) << o.err;
  EXPECT_THAT(o.err, Not(HasSubstr("has gone")));
  EXPECT_EQ(worker.wait().code, 0);
  EXPECT_EQ(hogwild({"segments", "--json"}).out.find(name), std::string::npos);
}

}  // namespace
}  // namespace hogwild::test
