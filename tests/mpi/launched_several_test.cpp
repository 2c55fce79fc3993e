// SPDX-License-Identifier: Apache-2.0
// mpiexec -n N hogwild train of several models, and of models of folds, which ranks divide: the result of one process.
#include <gmock/gmock.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include <hogwild/detail/platform/thread_activity.hpp>

#include "mpi/with_ranks.hpp"
#include "support/eventually.hpp"

namespace hogwild::test {
namespace {

using ::testing::HasSubstr;

class launched_several : public with_ranks {
 protected:
  /// The training rows in five classes, by their labels and numbers.
  static std::string classes() {
    std::string text;
    std::size_t r = 0;
    for (const std::string& line : lines_of(read_file(train())))
      text += std::to_string((line.front() == '-' ? 0 : 2) + r++ % 3) + line.substr(line.find(' ')) + "\n";
    return folder->write("classes.svm", text);
  }
  static command_words train_on(const std::string& rows, const command_words& more) {
    return {"train", rows, "--epochs 4 --json --quiet", more};
  }
};

struct several_way {
  std::string name;
  command_words asked;
};

class each_several : public launched_several, public ::testing::WithParamInterface<several_way> {};

TEST_P(each_several, models_are_those_of_one_process_on_any_number_of_ranks) {
  const command_words& asked = GetParam().asked;
  const std::string rows = asked.front() == "--multiclass" ? classes() : train();
  const std::string alone = *folder / "alone.bin", model = *folder / "ranks.bin", record = *folder / "ranks.jsonl";
  const auto expected = result_of(train_on(rows, {asked, "--save", alone, "--test", rows}));
  EXPECT_EQ(expected["ranks"], 1);
  for (const int n : {2, 3}) {
    const auto found = result_of(run(n, train_on(rows, {asked, "--save", model, "--test", rows, "--record", record})));
    EXPECT_EQ(found["ranks"], n);
    for (const std::string what : {"status", "models", "epochs", "step", "train_loss", "objective", "test_loss"})
      EXPECT_EQ(found[what], expected[what]) << what << " by " << n;
    EXPECT_EQ(read_file(model), read_file(alone)) << n;
    // One record, by the first rank.
    const auto lines = lines_of(read_file(record));
    EXPECT_EQ(lines.size(), 6u);
    EXPECT_EQ(nlohmann::json::parse(lines.front())["options"]["ranks"], n);
  }
}

INSTANTIATE_TEST_SUITE_P(
    ways, each_several,
    ::testing::Values(
        several_way{"classes", {"--multiclass ovr --engine serial"}},
        several_way{"classes_one_by_one", {"--multiclass ovr --engine serial --optimizer adagrad --step 0.2"}},
        several_way{"ensemble", {"--ensemble 9 --engine serial --bias"}},
        several_way{"votes", {"--ensemble 4 --combine vote --model hinge_svm --step 0.1 --workers 1"}},
        several_way{"reproducible", {"--ensemble 9 --reproducible --workers 2"}},
        several_way{"reproducible_processes", {"--ensemble 6 --reproducible --engine processes --workers 2"}},
        several_way{"shards", {"--ensemble mean-weights:5 --workers 2 --bias"}},
        several_way{"lockstep", {"--ensemble 6 --engine all_reduce --workers 2 --step 2"}}),
    [](const auto& tested) { return tested.param.name; });

TEST_F(launched_several, engines_are_of_each_rank) {
  const command_words ensemble{"train", train(), "--json --quiet --epochs 10 --ensemble 6 --engine"};
  const double serial = result_of({ensemble, "serial"})["train_loss"];
  for (const char* const engine : {"ring --replicas 2", "local_sgd", "processes", "threads"}) {
    const auto found = result_of(run(2, {ensemble, engine, "--workers 2"}));
    EXPECT_LT(found["train_loss"].get<double>(), 1.15 * serial) << engine;
    EXPECT_EQ(found["ranks"], 2);
  }
}

TEST_F(launched_several, shards_are_by_default_as_many_as_workers_of_all_ranks) {
  const auto found = result_of(run(3, train_on(train(), "--ensemble mean-weights --workers 2")));
  EXPECT_EQ(found["models"], 6);
}

TEST_F(launched_several, folds_are_divided_and_runs_are_of_all_ranks) {
  const auto with_folds = [](const command_words& more) { return train_on(train(), {"--folds 4", more}); };
  const auto alone = result_of(hogwild(with_folds({"--engine serial"})));
  const command_words ranks{"--engine local_sgd --workers 1"};
  const auto found = result_of(run(3, with_folds(ranks)));
  EXPECT_EQ(found["fold_losses"], alone["fold_losses"]);
  EXPECT_EQ(found["folds_accuracy"], alone["folds_accuracy"]);
  EXPECT_EQ(found["meetings"]["ranks"], 3);
  EXPECT_EQ(found["train_loss"], result_of(run(3, train_on(train(), ranks)))["train_loss"]);
}

TEST_F(launched_several, l2_is_found_by_divided_folds) {
  const command_words ranks{"--engine local_sgd --workers 1"};
  const std::string found_model = *folder / "found.bin", given_model = *folder / "given.bin";
  const auto alone = result_of(train_on(train(), "--engine serial --l2 auto"));
  const auto found = result_of(run(2, train_on(train(), {"--l2 auto --save", found_model, ranks})));
  EXPECT_EQ(found["l2_tried"], alone["l2_tried"]);
  EXPECT_EQ(found["l2"], alone["l2"]);
  EXPECT_TRUE(found["l2_found"]);
  EXPECT_EQ(found["meetings"]["ranks"], 2);
  result_of(run(2, train_on(train(), {"--l2", alone["l2"].dump(), "--save", given_model, ranks})));
  EXPECT_EQ(read_file(found_model), read_file(given_model));
}

TEST_F(launched_several, run_that_goes_on_has_the_l2_that_was_found_before) {
  const std::string checkpoint = *folder / "l2.checkpoint";
  const command_words asked{"train", train(), "--json --quiet --l2 auto --engine local_sgd --workers 1 --step 0.1"};
  const auto before = result_of(run(2, {asked, "--epochs 3 --checkpoint", checkpoint}));
  const auto after = result_of(run(2, {asked, "--epochs 5 --resume", checkpoint}));
  EXPECT_EQ(after["l2"], before["l2"]);
  EXPECT_EQ(after["epochs"], 5);
  EXPECT_FALSE(after.contains("l2_tried"));
}

TEST_F(launched_several, path_is_trained_by_all_ranks_and_measured_by_divided_folds) {
  const command_words path{"--path l2=1e-1,1e-3,1e-5 --step 0.3"};
  const auto alone = result_of(train_on(train(), {path, "--folds 3 --engine serial"}));
  for (const std::string engine : {"local_sgd", "all_reduce", "ring"}) {
    const std::string model = *folder / "path.bin";
    const auto found =
        result_of(run(3, train_on(train(), {path, "--folds 3 --engine", engine, "--workers 1 --save", model})));
    ASSERT_EQ(found["path"].size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(found["path"][i]["fold_losses"], alone["path"][i]["fold_losses"]);
    EXPECT_EQ(found["l2"], alone["l2"]);
    const auto measured = result_of({"evaluate", model, train(), "--json"});
    EXPECT_NEAR(measured["loss"].get<double>(), found["train_loss"].get<double>(), 1e-5) << engine;
  }
}

// Each rank has a file: training by all of them needs no other rows.
TEST_F(launched_several, path_without_folds_needs_no_common_file) {
  const std::string parts = divided_rows(2);
  const command_words by{"--engine local_sgd --workers 1"};
  EXPECT_EQ(result_of(run(2, train_on(parts, {"--path l2=1e-2,1e-4", by})))["path"].size(), 2u);
  for (const char* const refused : {"--path l2=1e-2,1e-4 --folds 3", "--l2 auto", "--folds 2"})
    expect_refused_once(run(2, train_on(parts, {refused, by})), 2, "ranks divide the models of folds");
  expect_refused_once(run(2, train_on(parts, {"--ensemble 4"})), 2, "give all ranks one file, without %rank");
}

TEST_F(launched_several, what_is_wrong_is_told_once) {
  expect_refused_once(run(3, train_on(train(), "--ensemble 2")), 2, "there are more ranks, 3, than models, 2");
  expect_refused_once(run(2, train_on(train(), "--multiclass ovr")), 2, "the rows have two labels");
  expect_refused_once(run(2, train_on(train(), "--folds 90000 --engine local_sgd")), 2, "more folds, 90000, than rows");
}

// Training the folds would take for ever.
TEST_F(launched_several, what_the_engine_of_a_rank_refuses_is_told_before_folds_are_trained) {
  const command_words device{"--engine ring --device emulated --epochs 1000000"};
  for (const char* const folds : {"--folds 2", "--l2 auto", "--path l2=1e-2 --folds 2"}) {
    expect_told(run(2, {"train", train(), folds, device}), 2, "name at least one for each rank");
  }
}

/// The launcher may end the other ranks before they have found that one is lost: then once more.
TEST_F(launched_several, rank_that_is_killed_while_folds_are_trained_is_named) {
  for (std::uint64_t seconds = 1; seconds <= 10; ++seconds) {
    std::filesystem::remove(*folder / "pid1");
    running_command lost(
        with_pids(3, {"train", train(), "--folds 4 --engine all_reduce --workers 1 --epochs 10000000"}));
    // By the time that it has computed, the ranks have met and train; or in one of the next tries.
    ASSERT_TRUE(eventually(std::chrono::minutes(1), [seconds] {
      const std::string pid = read_file(*folder / "pid1");
      const auto now = pid.empty() ? std::nullopt : process_activity::of(std::stoi(pid), 0);
      return now && now->cpu_ticks >= seconds * static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
    })) << lost.err();
    ASSERT_EQ(::kill(pid_of(1), SIGKILL), 0);
    const outcome o = lost.wait();
    EXPECT_NE(o.code, 0);
    if ((o.err + o.out).find("rank 1 of 3 has ended, so the run ends and nothing is saved") != std::string::npos)
      return;
  }
  FAIL() << "no other rank has named it";
}

class lost_several : public launched_several {
 protected:
  static command_words long_run(const command_words& more) {
    return {"train", train(), "--ensemble 8 --engine threads --workers 1 --step 1e-3 --epochs 1000000", more};
  }
};

TEST_F(lost_several, killed_rank_ends_all_and_leaves_no_model) {
  const std::string model = *folder / "killed.bin";
  running_command killed(with_pids(3, long_run({"--save", model})));
  ASSERT_TRUE(killed.says("epoch 3/")) << killed.err();
  ASSERT_EQ(::kill(pid_of(1), SIGKILL), 0);
  EXPECT_NE(killed.wait().code, 0);
  EXPECT_FALSE(std::filesystem::exists(model));
}

TEST_F(lost_several, rank_that_no_longer_answers_ends_all_and_is_named) {
  running_command silent(with_pids(2, long_run({"--rank-timeout 2"})));
  ASSERT_TRUE(silent.says("epoch 3/")) << silent.err();
  ASSERT_EQ(::kill(pid_of(1), SIGSTOP), 0);
  expect_told(silent.wait(), 1, "rank 1 of 2 has not come to ");
}

TEST_F(lost_several, all_stop_where_any_is_asked_to_and_the_model_is_saved) {
  for (const int rank : {0, 1}) {
    const std::string model = *folder / ("stopped" + std::to_string(rank) + ".bin");
    running_command stopped(with_pids(2, long_run({"--save", model, "--json"})));
    ASSERT_TRUE(stopped.says("epoch 3/")) << stopped.err();
    ASSERT_EQ(::kill(pid_of(rank), SIGTERM), 0);
    const outcome o = stopped.wait();
    EXPECT_EQ(o.code, 130) << o.err;
    EXPECT_EQ(nlohmann::json::parse(o.out)["status"], "stopped");
    EXPECT_EQ(result_of({"inspect", model, "--json"})["models"], 8);
  }
}

}  // namespace
}  // namespace hogwild::test
