// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <csignal>

#include "small_data.hpp"

namespace hogwild::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class exit_codes : public with_small_data {};

TEST_F(exit_codes, usage_is_2_and_names_the_option) {
  struct wrong {
    std::vector<std::string> arguments;
    std::string said;
  };
  const wrong cases[] = {{{"train", train(), "--modle", "logistic"}, "--modle"},
                         {{"train"}, "DATA"},
                         {{"train", train(), "--model", "perceptron"}, "'perceptron' is none of logistic|"},
                         {{"train", train(), "--epochs", "-3"}, "'-3' is no whole number of at least 1"},
                         {{"train", train(), "--epochs", "0"}, "'0' is no whole number of at least 1"},
                         {{"train", train(), "--step", "0"}, "neither 'auto' nor a number above 0"},
                         {{"train", train(), "--l2", "nan"}, "'nan' is neither 'auto' nor a number"},
                         {{"train", train(), "--l2", "-1"}, "'-1' is neither 'auto' nor a number of at least 0"},
                         {{"train", train(), "--target", "test_accuracy=0.9"}, "no test rows"},
                         {{"train", train(), "--target", "beauty=1"}, "METRIC=VALUE"},
                         {{"train", train(), "--patience", "2"}, "--validation"},
                         {{"train", train(), "--validation", "1.5"}, "between 0 and 1"},
                         {{"train", train(), "--engine", "serial", "--workers", "2"}, "serial engine has one worker"},
                         {{"train", train(), "--engine", "serial", "--team", "tbb"}, "--team"},
                         {{"train", train(), "--engine", "processes", "--team", "tbb"}, "--team"},
                         {{"train", train(), "--engine", "cuda", "--device", "0,x"}, "'x' is neither a device's"},
                         {{"train", train(), "--engine", "cuda", "--device", "0,,1"}, "'0,,1' is neither a device's"},
                         {{"train", train(), "--engine", "cuda", "--device", "1,1"}, "device 1 is named twice"},
                         {{"train", train(), "--pin"}, "OMP_PLACES"},
                         {{"train", train(), "--huber-delta", "2"}, "--model huber"},
                         {{"train", train(), "--model", "huber", "--huber-delta", "0"}, "must be positive"},
                         {{"train", train(), "--schedule", "constant", "--decay", "0.5"}, "--decay"},
                         {{"train", "-", "--test", "-"}, "once only"},
                         {{"train", train(), "--save", train()}, "would overwrite"},
                         {{"train", train(), "--record", "/dev/null", "--checkpoint", train()}, "would overwrite"},
                         {{"train", train(), "--test", test(), "--record", test()}, "would overwrite"},
                         {{"predict", *folder / "any.bin", test(), "--output", test()}, "would overwrite"},
                         {{"generate", *folder / "x.svm", "--delta", "0.0001"}, "cannot be had"},
                         {{"generate", *folder / "x.svm", "--test-fraction", "0.5"}, "--test"},
                         {{"cache", "--list", "--purge"}, "excludes"},
                         {{"worker"}, "--attach"},
                         {{"trian", train()}, "no command 'trian'"},
                         {{}, "Usage:"}};
  for (const wrong& c : cases) {
    const outcome o = hogwild(c.arguments);
    EXPECT_EQ(o.code, 2) << c.said << "\n" << o.err;
    EXPECT_THAT(o.err, HasSubstr(c.said));
    EXPECT_EQ(o.out, "");
  }
  EXPECT_FALSE(std::filesystem::exists(*folder / "x.svm"));
}

TEST_F(exit_codes, malformed_input_is_3_with_its_place) {
  const std::string bad = *folder / "bad.svm";
  write_file(bad, "1 1:0.5 2:1\n-1 3:1 2:1\n");
  for (const char* command : {"train", "predict", "evaluate"}) {
    std::vector<std::string> arguments = {command};
    if (command != std::string("train")) {
      ASSERT_EQ(hogwild({"train", train(), "--epochs", "1", "--quiet", "--save", *folder / "any.bin"}).code, 0);
      arguments.push_back(*folder / "any.bin");
    }
    arguments.push_back(bad);
    const outcome o = hogwild(arguments);
    EXPECT_EQ(o.code, 3);
    EXPECT_THAT(o.err, HasSubstr(bad + ":2:8: "));
  }
  EXPECT_EQ(hogwild({"cache", "--list", "--json", folder->path().string()}).out.find("bad.svm"), std::string::npos);
}

TEST_F(exit_codes, input_that_does_not_suit_is_3) {
  write_file(*folder / "three.svm", "1 1:1\n2 1:2\n3 1:3\n");
  outcome o = hogwild({"train", *folder / "three.svm"});
  EXPECT_EQ(o.code, 3);
  EXPECT_THAT(o.err, HasSubstr("exactly two values"));

  o = hogwild({"train", train(), "--test", *folder / "three.svm"});
  EXPECT_EQ(o.code, 3);
  EXPECT_THAT(o.err, HasSubstr("never had"));

  EXPECT_EQ(hogwild({"train", *folder / "nowhere.svm"}).code, 3);
  EXPECT_EQ(hogwild({"predict", *folder / "three.svm", test()}).code, 3);
  EXPECT_EQ(hogwild({"inspect", *folder / "nowhere.svm"}).code, 3);
  write_file(*folder / "nothing", std::string("\x01\x02\0\x03", 4));
  EXPECT_EQ(hogwild({"inspect", *folder / "nothing"}).code, 3);
  EXPECT_EQ(hogwild({"inspect", *folder / "three.svm"}).code, 0);  // which says what it is
  EXPECT_EQ(hogwild({"cache", "--list", *folder / "nowhere"}).code, 3);
  EXPECT_EQ(hogwild({"train", "-"}, "").code, 3);
}

TEST_F(exit_codes, a_place_that_cannot_be_written_is_refused_before_training) {
  for (const char* option : {"--save", "--checkpoint", "--record"}) {
    const outcome o = hogwild({"train", train(), option, *folder / "nowhere/model.bin"});
    EXPECT_EQ(o.code, 3) << option;
    EXPECT_EQ(o.err.find("epoch 1"), std::string::npos) << option;
  }
}

TEST_F(exit_codes, the_name_of_a_segment_that_is_not_there_is_3) {
  const outcome joined = hogwild({"worker", "--attach", "hogwild-0-0-none"});
  EXPECT_EQ(joined.code, 3);
  EXPECT_THAT(joined.err, HasSubstr("there is no segment hogwild-0-0-none"));
}

TEST_F(exit_codes, resources_are_4) {
  ASSERT_EQ(hogwild({"train", train(), "--epochs", "1", "--quiet", "--save", *folder / "full.bin"}).code, 0);
  EXPECT_EQ(running_command({"predict", *folder / "full.bin", test()}, "", "/dev/full").wait().code, 4);
}

TEST_F(exit_codes, a_diverged_run_is_5_with_advice_and_saves_nothing) {
  for (const char* engine : {"serial", "threads", "processes"}) {
    const std::string model = *folder / "diverged.bin";
    const outcome o = hogwild({"train", train(), "--engine", engine, "--model", "least_squares", "--step", "1e9",
                               "--l2", "0", "--save", model, "--json"});
    EXPECT_EQ(o.code, 5) << o.err;
    EXPECT_THAT(o.err, HasSubstr("step"));
    EXPECT_FALSE(std::filesystem::exists(model));
    EXPECT_EQ(nlohmann::json::parse(o.out)["status"], "diverged");
  }
}

TEST_F(exit_codes, interrupted_is_130_with_the_model_saved) {
  for (const char* engine : {"serial", "threads", "processes"}) {
    for (const int signal : {SIGINT, SIGTERM}) {
      const std::string model = *folder / "interrupted.bin";
      std::filesystem::remove(model);
      running_command run({"train", train(), "--engine", engine, "--epochs", "100000000", "--save", model, "--json"});
      ASSERT_TRUE(run.says("epoch 3/")) << run.err();
      run.signal(signal);
      const outcome o = run.wait();
      EXPECT_EQ(o.code, 130) << o.err;
      EXPECT_EQ(nlohmann::json::parse(o.out)["status"], "stopped");
      EXPECT_EQ(hogwild({"evaluate", model, test()}).code, 0);
    }
  }
}

TEST_F(exit_codes, every_command_has_help_with_an_example) {
  for (const char* command :
       {"train", "predict", "evaluate", "generate", "convert", "inspect", "cache", "segments", "worker", "--version"}) {
    const outcome o = hogwild({command, "--help"});
    EXPECT_EQ(o.code, 0);
    EXPECT_THAT(o.out, HasSubstr(std::string("Example:\n  hogwild ") + command)) << command;
  }
  EXPECT_THAT(hogwild({"--help"}).out, StartsWith("hogwild: "));
}

}  // namespace
}  // namespace hogwild::test
