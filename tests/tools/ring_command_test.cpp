// SPDX-License-Identifier: Apache-2.0
// hogwild train --engine ring, as users run it.
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
  static command_words ring(const command_words& more) { return {"train", train(), "--engine ring", more}; }
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
    ASSERT_EQ(
        hogwild({"generate", data, "--test", unseen, "--rows 40000 --columns 1500 --nonzeros 20 --noise 0.02"}).code,
        0);
  }
  const auto serial = result_of({"train", data, "--engine serial --epochs 5 --json"});
  const auto result =
      result_of({"train", data, "--engine ring --replicas 2 --workers 4 --exchange", exchange, "--transport", transport,
                 "--epochs 5 --test", unseen, "--save", model, "--quiet --json"});
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
  // Under the other rules nobody exchanges with a replica that did not train meanwhile: perhaps never in so short a
  // run. And they keep the mean of the replicas' gains, for which they take up to twice as many epochs.
  const bool deltas = exchange == "deltas";
  if (deltas) {
    EXPECT_GT(result["ring"]["exchanges"], 0);
    EXPECT_GT(result["ring"]["bytes"], 0);
    EXPECT_GT(result["ring"]["held_seconds"], 0.0);
  }
  EXPECT_LT(result["objective"].get<double>(), (deltas ? 1.02 : 1.25) * serial["objective"].get<double>());

  const auto measured = expect_measured_alike(result, model, unseen);
  EXPECT_DOUBLE_EQ(fraction_right(hogwild({"predict", model, unseen}).out, unseen), measured["accuracy"]);
}

INSTANTIATE_TEST_SUITE_P(every, each_ring_way,
                         ::testing::Values(ring_way{"deltas", "in_process"}, ring_way{"average", "in_process"},
                                           ring_way{"released", "in_process"}, ring_way{"deltas", "shared_segment"},
                                           ring_way{"average", "shared_segment"},
                                           ring_way{"released", "shared_segment"}),
                         [](const auto& tried) { return tried.param.exchange + "_" + tried.param.transport; });

TEST_F(ring_command, the_summary_names_the_ring) {
  const outcome o = hogwild(ring({"--replicas 2 --workers 2 --epochs 5"}));
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.out, AllOf(HasSubstr("engine      ring, 2 workers"), HasSubstr("ring        2 replicas on memory node"),
                           HasSubstr(", deltas; ")));
  EXPECT_THAT(o.out, HasSubstr(" exchanges of "));
}

TEST_F(ring_command, binds_workers_of_any_thread_team_or_leaves_them_alone) {
  for (const char* team : {"openmp", "tbb", "std"}) {
    for (const char* pin : {"--pin", "--no-pin"}) {
      const outcome o = hogwild(ring({"--replicas 2 --workers 2 --epochs 2 --team", team, pin, "--quiet"}));
      EXPECT_EQ(o.code, 0) << o.err;
    }
  }
}

TEST_F(ring_command, one_replica_is_no_ring) {
  const auto alone = result_of(ring({"--replicas 1 --workers 1 --epochs 5 --json --save", *folder / "one.bin"}));
  EXPECT_FALSE(alone.contains("ring"));
  ASSERT_EQ(hogwild({"train", train(), "--engine serial --epochs 5 --quiet --save", *folder / "serial.bin"}).code, 0);
  EXPECT_TRUE(read_file(*folder / "one.bin") == read_file(*folder / "serial.bin"));
}

TEST_F(ring_command, a_general_model_and_a_checkpoint_go_round_as_well) {
  std::string rows;
  for (int k = 0; k < 600; ++k) rows += std::to_string(k % 3) + " " + std::to_string(k % 3 + 1) + ":1\n";
  write_file(*folder / "three.svm", rows);
  for (const char* transport : {"in_process", "shared_segment"}) {
    const command_words run{"train",
                            *folder / "three.svm",
                            "--test",
                            *folder / "three.svm",
                            "--model softmax --step 0.5",
                            "--engine ring --replicas 2 --workers 2 --json --transport",
                            transport};
    EXPECT_EQ(result_of({run, "--epochs 3 --checkpoint", *folder / "ring.ckpt"})["epochs"], 3);
    const auto result = result_of({run, "--epochs 6 --resume", *folder / "ring.ckpt"});
    EXPECT_EQ(result["epochs"], 6);
    EXPECT_EQ(result["test_accuracy"], 1.0);
  }
}

TEST_F(ring_command, a_worker_joins_by_hand) {
  running_command run(ring({"--replicas 2 --workers 2 --transport shared_segment --epochs 100000000 --json"}));
  ASSERT_TRUE(run.says("epoch 1/")) << run.err();
  const std::string name = segment_of(run.pid());
  running_command worker(command_words{"worker --attach", name});
  EXPECT_TRUE(run.says("has joined as a worker")) << run.err();
  run.signal(SIGINT);
  const outcome o = run.wait();
  EXPECT_EQ(o.code, 130) << o.err;
  EXPECT_THAT(o.err, Not(HasSubstr("has gone")));
  EXPECT_EQ(worker.wait().code, 0);
  EXPECT_EQ(hogwild("segments --json").out.find(name), std::string::npos);
}

}  // namespace
}  // namespace hogwild::test
