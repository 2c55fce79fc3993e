// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "small_data.hpp"

namespace hogwild::test {
namespace {

using ::testing::HasSubstr;

class run_control : public with_small_data {};

TEST_F(run_control, a_target_ends_the_run) {
  const auto result = result_of({"train", train(), "--test", test(), "--epochs 50 --target test_accuracy=0.6 --json"});
  EXPECT_EQ(result["status"], "target");
  EXPECT_LT(result["epochs"], 50);
  EXPECT_GE(result["test_accuracy"], 0.6);
  EXPECT_GT(result["seconds_to_target"], 0.0);
}

TEST_F(run_control, a_tolerance_ends_the_run) {
  const auto result = result_of({"train", train(), "--epochs 500 --l2 0.01 --tolerance 0.3 --json"});
  EXPECT_EQ(result["status"], "converged");
  EXPECT_LE(result["gap"], 0.3);
  EXPECT_LT(result["epochs"], 500);
}

TEST_F(run_control, epochs_without_progress_end_the_run) {
  const auto result = result_of({"train", train(), "--epochs 500 --tolerance 0.01 --tolerance-epochs 2 --json"});
  EXPECT_EQ(result["status"], "no_progress");
  EXPECT_FALSE(result.contains("gap"));
  EXPECT_LT(result["epochs"], 500);
}

TEST_F(run_control, validation_rows_end_the_run) {
  // Without regularisation the model learns its training rows by heart, so that others get worse.
  for (const std::string& rows : {std::string("0.2"), test()}) {
    const auto result =
        result_of({"train", train(), "--l2 0 --step 4 --epochs 300 --validation", rows, "--patience 2 --json"});
    EXPECT_EQ(result["status"], "no_progress") << rows;
    EXPECT_LT(result["epochs"], 300);
    EXPECT_GT(result["validation_loss"], 0.0);
  }
}

class resumed_run : public run_control {
 protected:
  static void expect_same(const char* options) { expect_same_when_resumed({"train", train(), "--quiet", options}, 6); }
};

TEST_F(resumed_run, equals_an_uninterrupted_one) {
  expect_same("--engine serial --step 1");
  EXPECT_THAT(hogwild({"inspect", *folder / "half.ckpt"}).out, HasSubstr("checkpoint"));
}

TEST_F(resumed_run, goes_on_with_the_step_and_the_batches_that_were_found) {
  expect_same("--model hinge_svm --decay 0.9 --workers 1");
  expect_same("--model hinge_svm --decay 0.9 --workers 1 --reproducible");
}

TEST_F(resumed_run, tells_the_step_of_the_checkpoint) {
  const auto step_of = [](const command_words& more) {
    const outcome o = hogwild({"train", train(), more});
    return o.out.substr(std::min(o.out.find("\nstep"), o.out.size()));
  };
  EXPECT_THAT(step_of({"--epochs 1 --step 2 --checkpoint", *folder / "step.ckpt"}),
              HasSubstr("step        2, as given;"));
  EXPECT_THAT(step_of({"--epochs 2 --resume", *folder / "step.ckpt"}),
              HasSubstr("step        2, from the checkpoint;"));
  EXPECT_THAT(step_of({"--epochs 2 --step 1 --resume", *folder / "step.ckpt"}),
              HasSubstr("step        2, from the checkpoint, not as given;"));
}

TEST_F(resumed_run, goes_on_with_its_record) {
  const std::string state = *folder / "kept.ckpt", record = *folder / "kept.jsonl";
  const command_words all = {"train", train(), "--engine serial --step 1 --record", record, "--quiet"};
  const auto run = [&](const command_words& more) { return hogwild({all, more}); };
  ASSERT_EQ(run({"--epochs 3 --checkpoint", state}).code, 0);
  ASSERT_EQ(run({"--epochs 5 --resume", state}).code, 0);
  std::vector<std::string> kinds;
  for (const auto& object : record_in(record)) {
    const bool of_epoch = object["kind"] == "epoch" || object["kind"] == "resumed";
    kinds.push_back(object["kind"].get<std::string>() + (of_epoch ? " " + object["epoch"].dump() : ""));
  }
  EXPECT_THAT(kinds, ::testing::ElementsAre("context", "epoch 1", "epoch 2", "epoch 3", "result", "resumed 3",
                                            "epoch 4", "epoch 5", "result"));
  write_file(record, "what I thought of it\n");
  expect_told(run({"--epochs 5 --resume", state}), 3, "kept.jsonl is no run record");
  EXPECT_EQ(read_file(record), "what I thought of it\n");
}

TEST_F(run_control, a_number_of_seconds_ends_the_run_as_epochs_do) {
  const std::string model = *folder / "seconds.bin", record = *folder / "seconds.jsonl";
  const command_words all = {"train", train(), "--epochs 100000000 --step 0.01 --save", model, "--record", record};
  const auto result = result_of({all, "--max-seconds 2 --quiet --json"});
  EXPECT_EQ(result["status"], "done");
  EXPECT_EQ(result["stopped_by"], "time_limit");
  EXPECT_EQ(result["saved"], model);
  EXPECT_EQ(record_in(record).back()["stopped_by"], "time_limit");
  const auto measured = result_of({"evaluate", model, train(), "--json"});
  EXPECT_NEAR(measured["loss"], result["train_loss"], 1e-5);
  EXPECT_THAT(hogwild({all, "--max-seconds 1.5"}).out, HasSubstr(", the seconds of --max-seconds"));
  std::filesystem::remove(model);
  const outcome none = hogwild({all, "--max-seconds 0.000001 --quiet --json"});
  EXPECT_EQ(none.code, 130) << "no row was trained";
  EXPECT_THAT(none.err, HasSubstr("were over before a row was trained; nothing is saved"));
  EXPECT_FALSE(std::filesystem::exists(model));
  const outcome unfound = hogwild({"train", train(), "--save", model, "--max-seconds 0.000001"});
  EXPECT_EQ(unfound.code, 130) << "no step was found";
  EXPECT_THAT(unfound.out, HasSubstr("status      stopped after 0 epochs, the seconds of --max-seconds"));
  EXPECT_THAT(unfound.out, HasSubstr("step        none was taken"));
  EXPECT_FALSE(std::filesystem::exists(model));
}

TEST_F(run_control, checkpoints_are_written_as_often_as_is_asked) {
  const std::string state = *folder / "often.ckpt";
  const auto run = [&](const std::string& every) {
    return hogwild({"train", train(), "--engine serial --step 1 --epochs 5 --measure-every 5 --checkpoint", state,
                    "--checkpoint-every", every, "--quiet"});
  };
  const auto facts = [](const std::string& file) { return result_of({"inspect --json", file}); };
  ASSERT_EQ(run("2").code, 0);
  EXPECT_EQ(facts(state)["epochs"], 5);
  EXPECT_EQ(facts(state)["measured_epoch"], 5);
  EXPECT_EQ(facts(state + ".previous")["epochs"], 4);
  EXPECT_EQ(facts(state + ".previous")["measured_epoch"], 0);
  for (const std::string time : {"1d", "2h", "90m", "0.5h", "3600s"}) {
    std::filesystem::remove(state);
    std::filesystem::remove(state + ".previous");
    ASSERT_EQ(run(time).code, 0) << time;
    EXPECT_EQ(facts(state)["epochs"], 5);
    EXPECT_FALSE(std::filesystem::exists(state + ".previous")) << time;
  }
}

TEST_F(run_control, whoever_stops_a_run_may_name_its_exit_code) {
  for (const auto& [saves, code] : {std::pair(true, 0), std::pair(false, 130)}) {
    const command_words saving{"--save", *folder / "stopped.bin"};
    running_command run(
        command_words{"train", train(), "--epochs 100000000 --stop-exit-code 0", saves ? saving : command_words()});
    ASSERT_TRUE(run.says("epoch 1/")) << run.err();
    run.signal(SIGTERM);
    EXPECT_EQ(run.wait().code, code) << "nothing was saved";
  }
}

// All of these models have as many parameters.
TEST_F(resumed_run, is_of_the_same_model) {
  write_file(*folder / "ratings.tsv", "1 1 3\n1 2 4\n2 1 5\n2 2 1\n3 1 2\n");
  write_file(*folder / "text.txt", "a b a b c\nb c a b a\n");
  const std::string state = *folder / "other.ckpt";
  const auto refused = [&](const command_words& run, const char* other) {
    SCOPED_TRACE(::testing::PrintToString(run));
    EXPECT_EQ(hogwild({run, "--epochs 2 --quiet --checkpoint", state}).code, 0);
    EXPECT_EQ(hogwild({run, "--epochs 2 --quiet --resume", state}).code, 0);
    expect_told(hogwild({run, "--epochs 2 --quiet --resume", state, other}), 2,
                "now; resume with the data and the options that wrote it");
  };
  refused({"train", *folder / "ratings.tsv", "--model matrix_factorization"}, "--factors 31");
  refused({"train", train(), "--model factorization_machine"}, "--factors 7");
  refused({"train", train(), "--model huber --step 0.01"}, "--huber-delta 2");
  for (const std::string model : {"skip_gram", "cbow"})
    refused({"train", *folder / "text.txt", "--model", model, "--min-count 1"}, "--window 4");
}

TEST_F(run_control, off_a_terminal_there_is_one_line_an_epoch) {
  const outcome o = hogwild({"train", train(), "--epochs 4 --sharing direct"});
  ASSERT_EQ(o.code, 0);
  const auto lines = lines_of(o.err);
  ASSERT_EQ(lines.size(), 4u) << o.err;
  for (std::size_t e = 0; e < 4; ++e) {
    EXPECT_THAT(lines[e], HasSubstr("epoch " + std::to_string(e + 1) + "/4"));
    EXPECT_EQ(lines[e].find('\r'), std::string::npos);
  }
  for (const char* fact : {"status      done after 4 epochs", "step ", "found in", "train loss", "objective", "time"}) {
    EXPECT_THAT(o.out, HasSubstr(fact));
  }
  const outcome quiet = hogwild({"train", train(), "--epochs 4 --quiet"});
  EXPECT_EQ(quiet.out + quiet.err, "");
}

TEST_F(run_control, on_a_terminal_there_is_a_bar) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(terminal, 0);
  ASSERT_EQ(::grantpt(terminal), 0);
  ASSERT_EQ(::unlockpt(terminal), 0);
  const std::string name = ::ptsname(terminal);
  // Held open, so that what was written stays readable after the command's end.
  const int other_end = ::open(name.c_str(), O_RDWR | O_NOCTTY);
  ASSERT_GE(other_end, 0);
  std::string shown;
  std::thread reader([&] {
    char text[4096];
    while (shown.find('\x04') == std::string::npos) {
      const ssize_t n = ::read(terminal, text, sizeof text);
      if (n <= 0) break;
      shown.append(text, static_cast<std::size_t>(n));
    }
  });
  const outcome o = running_command({"train", train(), "--epochs 2000 --json"}, "", "", name).wait();
  ASSERT_EQ(::write(other_end, "\x04", 1), 1);
  reader.join();
  ::close(other_end);
  ::close(terminal);
  EXPECT_EQ(o.code, 0);
  for (const char* part : {"\r\x1b[K", "/2000 [", "M nonzeros/s", "loss 0.", " left"})
    EXPECT_THAT(shown, HasSubstr(part));
}

TEST_F(run_control, the_version_tells_the_build) {
  const auto version = result_of("--version --json");
  for (const char* fact : {"version", "commit", "build_type", "compiler"}) EXPECT_NE(version[fact], "") << fact;
  EXPECT_THAT(hogwild("--version").out, HasSubstr(version["version"].get<std::string>()));
}

TEST_F(run_control, running_ones_are_listed_and_joined_and_living_ones_not_purged) {
  running_command run(command_words{"train", train(), "--engine processes --workers 1 --epochs 100000000 --json"});
  ASSERT_TRUE(run.says("epoch 1/")) << run.err();
  const std::string name = segment_of(run.pid());
  running_command worker(command_words{"worker --attach", name});
  EXPECT_TRUE(run.says("has joined as a worker")) << run.err();
  for (const auto& gone : result_of("segments --purge --json")) EXPECT_NE(gone, name);
  run.signal(SIGINT);
  EXPECT_EQ(run.wait().code, 130);
  EXPECT_EQ(worker.wait().code, 0);
  EXPECT_EQ(hogwild("segments --json").out.find(name), std::string::npos);
}

}  // namespace
}  // namespace hogwild::test
