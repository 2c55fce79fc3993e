// SPDX-License-Identifier: Apache-2.0
// mpiexec -n N hogwild train, as users run it.
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "mpi/with_ranks.hpp"
#include "support/comes_to.hpp"

namespace hogwild::test {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class launched : public with_ranks {
 protected:
  static command_words train_with(const command_words& more) {
    return {"train", train(), "--engine ring --workers 1", more};
  }
};

struct rank_way {
  int ranks;
  std::string messages;
};

class each_number : public launched, public ::testing::WithParamInterface<rank_way> {};

TEST_P(each_number, of_ranks_trains_says_so_and_leaves_a_model_that_predicts) {
  const auto& [ranks, messages] = GetParam();
  const std::string model = *folder / "ranks.bin", record = *folder / "ranks.jsonl";
  const auto serial = result_of({"train", train(), "--engine serial --epochs 8 --json"});
  const auto result = result_of(run(ranks, train_with({"--epochs 8 --message-values", messages, "--test", test(),
                                                       "--save", model, "--record", record, "--quiet --json"})));
  EXPECT_EQ(result["status"], "done");
  EXPECT_EQ(result["engine"], "ring");
  EXPECT_EQ(result["link"]["ranks"], ranks);
  EXPECT_GT(result["link"]["bytes"], 0);
  EXPECT_GE(result["examples"], 8 * lines_of(read_file(train())).size());
  EXPECT_LT(result["objective"].get<double>(), 1.15 * serial["objective"].get<double>());
  const auto measured = result_of({"evaluate", model, test(), "--json"});
  EXPECT_NEAR(measured["loss"], result["test_loss"], 1e-5);
  // One record, by the first rank.
  const auto lines = lines_of(read_file(record));
  EXPECT_EQ(lines.size(), 10u);
  EXPECT_EQ(nlohmann::json::parse(lines.front())["options"]["ranks"], ranks);
}

INSTANTIATE_TEST_SUITE_P(ranks, each_number,
                         ::testing::Values(rank_way{2, "float"}, rank_way{4, "float"}, rank_way{4, "half"}),
                         [](const auto& tested) {
                           return std::to_string(tested.param.ranks) + "_" + tested.param.messages;
                         });

// Each rank has a device and a CPU worker. None of 120 rings of such ranks ended more than 0.73 % above one worker
// (ring_on_devices_test): even if the excess were exponential with that mean, one would end 15 % above with a
// probability of e^(-15 / 0.73): 1e-9.
TEST_F(launched, ranks_have_the_devices_that_are_named_dealt_to_them) {
  const auto serial = result_of({"train", train(), "--engine serial --epochs 8 --json"});
  const auto result = result_of(run(2, train_with({"--device emulated,emulated --epochs 8 --quiet --json"})));
  EXPECT_EQ(result["status"], "done");
  EXPECT_EQ(result["link"]["ranks"], 2);
  ASSERT_EQ(result["devices"].size(), 1u);
  EXPECT_EQ(result["devices"][0]["exchange"], "host");
  EXPECT_LT(result["objective"].get<double>(), 1.02 * serial["objective"].get<double>());
  expect_told(run(2, train_with({"--device emulated --epochs 1"})), 2,
              "2 ranks of this machine train by devices, and --device names 1");
}

class each_lockstep : public launched, public ::testing::WithParamInterface<std::tuple<std::string, int>> {};

TEST_P(each_lockstep, engine_trains_and_repeats_to_the_bit) {
  const auto& [engine, ranks] = GetParam();
  const std::string step = engine == "all_reduce" ? "8" : "0.3", model = *folder / "lockstep.bin";
  const command_words arguments{
      "train",    train(),  "--workers 1 --epochs 15 --decay 0.85 --sync-rows 16 --quiet --json",
      "--engine", engine,   "--step",
      step,       "--save", model};
  const auto serial = result_of({"train", train(), "--engine serial --epochs 8 --json"});
  const auto result = result_of(run(ranks, arguments));
  const std::string bytes = read_file(model);
  EXPECT_EQ(result["engine"], engine);
  EXPECT_EQ(result["meetings"]["ranks"], ranks);
  EXPECT_LT(result["objective"].get<double>(), 1.08 * serial["objective"].get<double>());
  EXPECT_EQ(result_of(run(ranks, arguments))["objective"], result["objective"]);
  EXPECT_EQ(read_file(model), bytes);
}

INSTANTIATE_TEST_SUITE_P(ranks, each_lockstep,
                         ::testing::Combine(::testing::Values("all_reduce", "local_sgd"), ::testing::Values(2, 4)),
                         [](const auto& tested) {
                           return std::get<0>(tested.param) + "_" + std::to_string(std::get<1>(tested.param));
                         });

// Every rank has a file, and each ranks its columns by itself.
TEST_F(launched, ranks_may_have_files_of_their_own) {
  const std::string model = *folder / "parts.bin";
  const auto serial = result_of({"train", train(), "--engine serial --epochs 8 --json --test", test()});
  const auto result = result_of(run(3, {"train", divided_rows(3), "--engine ring --workers 1 --epochs 8 --test", test(),
                                        "--save", model, "--quiet --json"}));
  EXPECT_LT(result["objective"].get<double>(), 1.02 * serial["objective"].get<double>());
  EXPECT_NEAR(result["test_accuracy"], serial["test_accuracy"], 0.02);
  const auto measured = result_of({"evaluate", model, test(), "--json"});
  EXPECT_NEAR(measured["loss"], result["test_loss"], 1e-5);
}

// Two circles of nodes with a bridge; the model learns numbers of nodes, not labels.
TEST_F(launched, ranks_cut_a_graph_together) {
  constexpr int each = 40;
  std::string graph = std::to_string(2 * each) + " " + std::to_string(4 * each + 1) + " 2\n";
  for (int v = 0; v < 2 * each; ++v) graph += "v " + std::to_string(v) + " " + std::to_string(v / each) + "\n";
  for (int v = 0; v < 2 * each; ++v)
    for (const int far : {1, 3})
      graph += "e " + std::to_string(v) + " " + std::to_string(v / each * each + (v + far) % each) + "\n";
  const std::string path = folder->write("graph.txt", graph + "e 0 " + std::to_string(each) + "\n");
  for (const std::string engine : {"ring", "local_sgd"}) {
    const auto result = result_of(
        run(2, {"train", path, "--model graph_cut --engine", engine, "--workers 1 --epochs 100 --quiet --json"}));
    EXPECT_EQ(result["test_cut"], 1) << engine;
    EXPECT_EQ(result["test_accuracy"], 1) << engine;
  }
}

TEST_F(launched, ranks_may_have_images_of_their_own_whose_bytes_are_divided_as_ever) {
  const auto number = [](unsigned n) { return std::string{'\0', '\0', '\0', static_cast<char>(n)}; };
  for (int rank = 0; rank < 2; ++rank) {
    std::string pixels, labels;
    for (int i = 0; i < 40; ++i) {
      labels.push_back(static_cast<char>((i + rank) % 2));
      pixels += labels.back() == 0 ? std::string("\xf0\x01\x02\x03", 4) : std::string("\x01\x02\x03\xf0", 4);
    }
    const std::string name = "rank" + std::to_string(rank);
    write_file(*folder / (name + "-images-idx3-ubyte"),
               std::string("\0\0\x08\x03", 4) + number(40) + number(2) + number(2) + pixels);
    write_file(*folder / (name + "-labels-idx1-ubyte"), std::string("\0\0\x08\x01", 4) + number(40) + labels);
  }
  const std::string model = *folder / "images.txt", images = *folder / "rank%rank-images-idx3-ubyte";
  const outcome trained = run(
      2,
      {"train", images,
       "--engine all_reduce --workers 1 --model mlp --hidden 4 --step 0.2 --epochs 40 --batch 8 --sync-rows 8 --save",
       model, "--quiet --json"});
  if (trained.err.find("not part of this build") != std::string::npos) GTEST_SKIP() << "there are no nets";
  const auto result = result_of(trained);
  EXPECT_LT(result["train_loss"].get<double>(), 0.3);
  EXPECT_THAT(read_file(model), HasSubstr("scale 0.00392"));
  expect_told(run(2, {"train", images, "--engine ring --workers 1 --model convnet"}), 2,
              "are 1 x 2 x 2: no net here takes such images");
}

TEST_F(launched, copies_of_an_engine_of_one_process_are_refused) {
  expect_told(run(2, {"train", train(), "--engine threads --epochs 1"}), 2,
              "use --engine ring, all_reduce or local_sgd");
}

TEST_F(launched, one_rank_is_plain_hogwild) {
  const auto result = result_of(run(1, train_with({"--epochs 2 --quiet --json"})));
  EXPECT_FALSE(result.contains("link"));
}

TEST_F(launched, bad_rows_are_told_once_by_file_and_line) {
  write_file(*folder / "bad.svm", "1 1:1\n-1 2:x\n");
  const outcome o = run(2, {"train", *folder / "bad.svm", "--engine ring --epochs 1"});
  EXPECT_EQ(o.code, 3);
  EXPECT_THAT(o.err, HasSubstr("bad.svm:2:"));
}

TEST_F(launched, ranks_with_other_options_are_refused_before_they_train) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"--l2 0.1", "--l2: 0.1 here, not given on rank 0"},
      {"--model hinge_svm", "--model: hinge_svm here, not given on rank 0"},
      {"--sync-rows 8", "--sync-rows: 8 here, not given on rank 0"},
      {"--values half", "--values: half here, not given on rank 0"},
      {"--scale max_abs", "--scale: max_abs here, not given on rank 0"}};
  for (const auto& [option, sentence] : cases) {
    const outcome o = running_command(with_script(3, "[ $RANK = 2 ] && set -- \"$@\" " + option,
                                                  {"train", train(), "--engine all_reduce --workers 1"}))
                          .wait();
    expect_refused_once(o, 2, "rank 2 of 3: " + sentence);
  }
}

TEST_F(launched, max_seconds_is_taken_though_less_of_it_is_left_to_some_ranks) {
  for (const std::string engine : {"all_reduce", "ring"}) {
    const auto result = result_of(
        run(2, {"train", train(), "--workers 1 --epochs 2 --max-seconds 500 --quiet --json --engine", engine}));
    EXPECT_EQ(result["status"], "done");
    EXPECT_EQ(result["epochs"], 2);
  }
}

TEST_F(launched, files_that_the_first_rank_writes_for_all_are_named_on_it) {
  for (const std::string option : {"--save only.bin", "--record only.jsonl"}) {
    const std::string script = "[ $RANK = 1 ] && set -- \"$@\" " + option;
    const outcome o =
        running_command(with_script(2, script, {"train", train(), "--engine all_reduce --workers 1"})).wait();
    expect_refused_once(o, 2, option.substr(0, 5));
    EXPECT_THAT(o.err, HasSubstr("given on other ranks than the first"));
  }
}

TEST_F(launched, ranks_may_give_the_same_number_otherwise_and_have_what_is_their_own) {
  const std::string script = "[ $RANK = 1 ] && set -- \"$@\" --l2 0.10 --isa scalar || set -- \"$@\" --l2 0.1 --json";
  EXPECT_EQ(result_of(running_command(with_script(2, script, train_with({"--epochs 2 --quiet"}))).wait())["ranks"], 2);
}

// Each rank is in a folder of its own, where the file has the same name.
TEST_F(launched, ranks_with_other_labels_or_entries_in_a_file_of_the_same_name_are_refused) {
  const auto lines = lines_of(read_file(train()));
  std::string flipped, other;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string rest = lines[i].substr(lines[i].find(' '));
    flipped += (lines[i].front() == '-' ? "1" : "-1") + rest + "\n";
    other += i == 7 ? lines[i].substr(0, lines[i].find(':')) + ":0.0625\n" : lines[i] + "\n";
  }
  for (const std::string at : {"at0", "at1"}) std::filesystem::create_directory(*folder / at);
  write_file(*folder / "at0/rows.svm", read_file(train()));
  const command_words asked{"train rows.svm --engine local_sgd --workers 1 --no-cache"};
  const std::string into_own = "cd '" + folder->path().string() + "'/at$RANK";
  write_file(*folder / "at1/rows.svm", flipped);
  const outcome labels = running_command(with_script(2, into_own, asked)).wait();
  expect_refused_once(labels, 2, "rank 1 of 2: the label of row ");
  EXPECT_THAT(labels.err, AllOf(HasSubstr(" here, "), HasSubstr("1 on rank 0")));
  write_file(*folder / "at1/rows.svm", other);
  expect_told(running_command(with_script(2, into_own, asked)).wait(), 3, "rank 1 of 2: the ");
}

/// The command as started by a launcher that MPI does not know.
outcome alone_with(const command_words& environment, const command_words& arguments) {
  return run_program({"/usr/bin/env", environment, hogwild_path(), arguments});
}

TEST_F(launched, processes_that_mpi_does_not_know_of_each_other_do_not_train) {
  const command_words asked{"train", train(), "--epochs 1 --quiet"};
  for (const std::string word :
       {"PMI_SIZE=2", "SLURM_NTASKS=4", "SLURM_STEP_NUM_TASKS=2", "OMPI_COMM_WORLD_SIZE=3", "MV2_COMM_WORLD_SIZE=2"}) {
    for (const std::string engine : {"threads", "all_reduce"}) {
      const outcome o = alone_with({word}, {asked, "--engine", engine, "--save", *folder / "none.bin"});
      EXPECT_EQ(o.code, 2) << word << o.err;
      EXPECT_THAT(o.err, AllOf(HasSubstr("srun --mpi=pmix"), HasSubstr(word.substr(0, word.find('='))))) << word;
      EXPECT_FALSE(std::filesystem::exists(*folder / "none.bin"));
    }
  }
  EXPECT_EQ(alone_with({"SLURM_NTASKS=2"}, {"search", train(), "--space step=1,2"}).code, 2);
  // One task, or a script of sbatch, which is one process of an allocation for several.
  EXPECT_EQ(alone_with({"SLURM_NTASKS=1"}, asked).code, 0);
  EXPECT_EQ(alone_with({"SLURM_NTASKS=4", "SLURM_JOB_ID=17"}, asked).code, 0);
  EXPECT_EQ(alone_with({"SLURM_NTASKS=4", "SLURM_JOB_ID=17", "SLURM_STEP_ID=0"}, asked).code, 2);
}

TEST_F(launched, transport_of_mpi_asks_for_a_launcher) {
  expect_told(hogwild(train_with({"--epochs 1 --transport mpi"})), 2, "mpiexec -n 4 hogwild");
}

TEST_F(launched, ranks_are_told_and_may_write_files_of_their_own) {
  const std::string model = *folder / "own%rank.bin", record = *folder / "own%rank.jsonl";
  const outcome o = run(2, train_with({"--epochs 2 --save", model, "--record", record}));
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("in rank 0 of 2 ranks"));
  EXPECT_EQ(read_file(*folder / "own0.bin"), read_file(*folder / "own1.bin"));
  EXPECT_GT(read_file(*folder / "own0.bin").size(), 0u);
  for (const std::string name : {"own0.jsonl", "own1.jsonl"})
    EXPECT_EQ(lines_of(read_file(*folder / name)).size(), 4u) << name;
  EXPECT_EQ(hogwild(train_with({"--epochs 1 --save", model, "--quiet"})).code, 0);
  EXPECT_NE(read_file(*folder / "own0.bin"), read_file(*folder / "own1.bin"));  // a process alone is rank 0
}

TEST_F(launched, ranks_in_lockstep_resume_as_another_number_of_them) {
  const std::string checkpoint = *folder / "lockstep.checkpoint";
  const auto asked = [&](const std::string& epochs, const std::string& option) {
    return command_words{
        "train",    train(), "--engine local_sgd --workers 1 --step 0.3 --decay 0.9 --sync-rows 64 --json",
        "--epochs", epochs,  option,
        checkpoint};
  };
  EXPECT_EQ(result_of(run(3, asked("4", "--checkpoint")))["epochs"], 4);
  std::filesystem::remove(checkpoint + ".rank2");
  const auto by_two = result_of(run(2, asked("8", "--resume")));
  EXPECT_EQ(by_two["epochs"], 8);
  EXPECT_EQ(by_two["ranks"], 2);
  EXPECT_EQ(result_of(hogwild(asked("8", "--resume")))["ranks"], 1);
  for (const char* const lost : {"", ".previous", ".rank0", ".rank0.previous"})
    std::filesystem::remove(checkpoint + lost);
  EXPECT_EQ(result_of(run(2, asked("8", "--resume")))["epochs"], 8);
}

// The checksum of the first rows does not apply to ranks, which may have other rows when they resume.
TEST_F(launched, ranks_in_lockstep_resume_with_what_they_met_for) {
  const std::string checkpoint = *folder / "of_gradients";
  const auto go = [&](const command_words& more) {
    return run(2, {"train", train(), "--workers 1 --step 4 --decay 0.9 --quiet", more});
  };
  EXPECT_EQ(go({"--engine all_reduce --epochs 2 --checkpoint", checkpoint}).code, 0);
  const outcome parameters = go({"--engine local_sgd --epochs 4 --resume", checkpoint});
  EXPECT_EQ(parameters.code, 2);
  EXPECT_THAT(parameters.err, HasSubstr("what ranks meet for: gathered when it was written, averaged now"));
  EXPECT_THAT(go({"--engine all_reduce --sync-rows 8 --epochs 4 --resume", checkpoint}).err,
              HasSubstr("rows between two meetings"));
  EXPECT_EQ(go({"--engine all_reduce --epochs 4 --resume", checkpoint}).code, 0);
}

TEST_F(launched, ranks_resume_with_the_columns_divided_as_they_were) {
  for (const std::string engine : {"ring", "local_sgd", "all_reduce"}) {
    const std::string checkpoint = *folder / (engine + ".scaled");
    const auto asked = [&](const std::string& scale, const std::string& epochs, const std::string& option) {
      return command_words{"train",    train(),   "--workers 1 --step 0.3 --decay 0.9 --quiet --json --engine",
                           engine,     "--scale", scale,
                           "--epochs", epochs,    option,
                           checkpoint};
    };
    EXPECT_EQ(result_of(run(2, asked("max_abs", "2", "--checkpoint")))["epochs"], 2) << engine;
    EXPECT_EQ(result_of(run(2, asked("max_abs", "4", "--resume")))["epochs"], 4) << engine;
    for (const std::string other : {"none", "auto", "standard"}) {
      const outcome o = run(2, asked(other, "4", "--resume"));
      expect_told(o, 2, "scale: max_abs when it was written, ");
    }
  }
}

/// A rank tells of standstills that are longer (standstill_watch.hpp).
constexpr std::chrono::seconds told_standstill{3};

class lost : public launched {
 protected:
  static void stop(int rank) {
    ASSERT_EQ(::kill(pid_of(rank), SIGSTOP), 0);
    ASSERT_TRUE(comes_to('T', pid_of(rank)));
  }
};

TEST_F(lost, rank_ends_the_run_and_resuming_goes_on_from_the_last_checkpoint) {
  const std::string checkpoint = *folder / "run.checkpoint";
  const auto arguments = [&](std::size_t epochs, const char* option) {
    return train_with({"--epochs", std::to_string(epochs), "--step 0.05 --decay 0.999", option, checkpoint});
  };
  running_command run_of_three(with_pids(3, arguments(1'000'000, "--checkpoint")));
  ASSERT_TRUE(run_of_three.says("epoch 20/")) << run_of_three.err();
  ASSERT_EQ(::kill(pid_of(1), SIGKILL), 0);
  const outcome o = run_of_three.wait();
  EXPECT_NE(o.code, 0);
  EXPECT_THAT(o.err, AllOf(HasSubstr("rank 1 of 3 has ended, so the run ends and nothing is saved"),
                           HasSubstr("--resume " + checkpoint), Not(HasSubstr("the model is then saved"))));

  auto resumed = arguments(200'000, "--resume");
  // A checkpoint of three ranks is for three ranks.
  expect_told(run(2, resumed), 2, "of a run of 3 ranks, and this one has 2");
  expect_told(hogwild(resumed), 2, "of a run of 3 ranks");

  resumed.insert(resumed.end(), {"--target", "train_loss=0.69", "--quiet", "--json"});
  const auto result = result_of(run(3, resumed));
  EXPECT_EQ(result["status"], "target");
  EXPECT_GE(result["epochs"], 20);
}

TEST_F(lost, rank_that_is_stopped_is_given_up_after_the_timeout) {
  running_command run_of_two(with_pids(2, train_with({"--epochs 1000000 --step 0.01 --rank-timeout 2"})));
  ASSERT_TRUE(run_of_two.says("epoch 5/")) << run_of_two.err();
  ASSERT_EQ(::kill(pid_of(1), SIGSTOP), 0);
  const outcome o = run_of_two.wait();
  EXPECT_EQ(o.code, 1);
  EXPECT_THAT(o.err, AllOf(HasSubstr("rank 0 of 2"), HasSubstr("rank 1")));
}

// A machine that stood still, or a laptop that slept: no rank has waited for another one meanwhile.
TEST_F(lost, ranks_that_were_all_stopped_for_longer_than_the_timeout_go_on) {
  constexpr auto timeout = told_standstill + 1s;
  running_command run_of_two(
      with_pids(2, train_with({"--epochs 1000000 --step 0.01 --rank-timeout", std::to_string(timeout.count())})));
  ASSERT_TRUE(run_of_two.says("epoch 5/")) << run_of_two.err();
  for (const int rank : {0, 1}) stop(rank);
  std::this_thread::sleep_for(timeout + 500ms);  // the clock of the ranks is real
  for (const int rank : {0, 1}) ASSERT_EQ(::kill(pid_of(rank), SIGCONT), 0);
  ASSERT_TRUE(run_of_two.says(" was stopped for ")) << run_of_two.err();
  ASSERT_EQ(::kill(pid_of(0), SIGTERM), 0);
  EXPECT_EQ(run_of_two.wait().code, 130);
}

// Whether the pause falls into training or between: training seconds leave it out, and a note reports it.
TEST_F(lost, rank_that_was_stopped_for_a_while_is_told_and_not_counted_as_training) {
  const std::string record = *folder / "stopped.jsonl";
  running_command run_of_two(with_pids(
      2, {"train", train(), "--engine all_reduce --workers 1 --epochs 1000000 --step 0.01 --sync-rows 64 --save",
          *folder / "stopped.bin", "--json --record", record}));
  ASSERT_TRUE(run_of_two.says("epoch 3/")) << run_of_two.err();
  constexpr std::chrono::duration<double> stopped = told_standstill + 500ms;
  stop(1);
  std::this_thread::sleep_for(stopped);  // the clock of the ranks is real
  ASSERT_EQ(::kill(pid_of(1), SIGCONT), 0);
  ASSERT_TRUE(run_of_two.says("rank 1 of 2 was stopped for ")) << run_of_two.err();
  const auto reports = [&] { return lines_of(read_file(record)).size(); };
  ASSERT_TRUE(eventually(1min, [&, so_far = reports()] { return reports() > so_far; })) << "that epoch is not reported";
  ASSERT_EQ(::kill(pid_of(0), SIGTERM), 0);
  const outcome o = run_of_two.wait();
  EXPECT_EQ(o.code, 130) << o.err;
  EXPECT_THAT(o.err, HasSubstr("stopping at the next meeting of all ranks"));
  const auto lines = record_in(record);
  double without = 0.0;  // most seconds of an epoch that are not of training
  for (std::size_t k = 2; k + 1 < lines.size(); ++k) {
    const auto took = [&](const char* which) {
      return lines[k][which].get<double>() - lines[k - 1][which].get<double>();
    };
    if (took("wall_seconds") > stopped.count())
      without = std::max(without, took("wall_seconds") - took("train_seconds"));
  }
  EXPECT_GT(without, 0.9 * stopped.count());
  EXPECT_TRUE(std::filesystem::exists(*folder / "stopped.bin"));
}

}  // namespace
}  // namespace hogwild::test
