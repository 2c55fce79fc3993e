// SPDX-License-Identifier: Apache-2.0
// Every command of a user who may have only so many processes and threads.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <unistd.h>

#include "small_data.hpp"

namespace hogwild::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class thread_limits : public with_small_data {
 protected:
  static void SetUpTestSuite() {
    with_small_data::SetUpTestSuite();
    ASSERT_EQ(hogwild({"train", train(), "--epochs", "1", "--quiet", "--save", *folder / "any.bin"}).code, 0);
    std::filesystem::permissions(folder->path(), std::filesystem::perms::all);
    for (const auto& file : std::filesystem::directory_iterator(folder->path()))
      std::filesystem::permissions(file, std::filesystem::perms::all);
  }

  /// The command as a user without other processes, where root may become one. Else those of this user count too.
  static outcome with_at_most(int tasks, const std::vector<std::string>& arguments) {
    // Looking for leaks at the end takes a process more, and changes the exit code where there is none.
    const char* const sanitizer = std::getenv("ASAN_OPTIONS");
    const std::string options = sanitizer != nullptr ? std::string(sanitizer) + ":" : "";
    running_command::any_program program{{"/usr/bin/env", "ASAN_OPTIONS=" + options + "detect_leaks=0"}};
    if (::geteuid() == 0)
      program.words.insert(program.words.end(),
                           {"setpriv", "--reuid", "54321", "--clear-groups", "--bounding-set=-all"});
    program.words.insert(program.words.end(), {"prlimit", "--nproc=" + std::to_string(tasks), hogwild_path()});
    program.words.insert(program.words.end(), arguments.begin(), arguments.end());
    return running_command(program).wait();
  }

  static std::vector<std::string> training(const std::vector<std::string>& more) {
    std::vector<std::string> all{"train", train(), "--test", test(), "--step", "0.05", "--epochs", "2"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  /// Either it works, or it ends with 4 and the limit's name. Fewer workers are no remedy for those who have none.
  static void expect_sound(const std::vector<std::string>& arguments, bool has_workers = true) {
    for (int most = 1; most <= 9; ++most) {
      const outcome o = with_at_most(most, arguments);
      if (o.code == 126 || o.code == 127) GTEST_SKIP() << "setpriv or prlimit do not start the program: " << o.err;
      const std::string which = "with " + std::to_string(most) + ": " + o.err;
      EXPECT_TRUE(o.code == 0 || o.code == 4) << o.code << " " << which;
      if (o.code != 4) continue;
      EXPECT_THAT(o.err, HasSubstr("processes and threads (ulimit -u); raise that limit")) << which;
      if (!has_workers) {
        EXPECT_THAT(o.err, Not(HasSubstr("workers"))) << which;
      }
    }
  }
};

TEST_F(thread_limits, of_engines_of_one_process) {
  expect_sound(training({"--engine", "serial"}), false);
  for (const char* team : {"openmp", "tbb", "std"})
    expect_sound(training({"--engine", "threads", "--team", team, "--workers", "3", "--sharing", "direct"}));
  expect_sound(training({"--engine", "ring", "--workers", "2", "--replicas", "2"}));
  expect_sound(training({"--engine", "all_reduce", "--workers", "2"}));
}

TEST_F(thread_limits, of_engines_of_several_processes) {
  expect_sound(training({"--engine", "processes", "--workers", "2", "--sharing", "direct"}));
  expect_sound(training({"--engine", "ring", "--workers", "2", "--replicas", "2", "--transport", "shared_segment"}));
  expect_sound(training({"--engine", "local_sgd", "--workers", "2", "--transport", "shared_segment"}));
}

TEST_F(thread_limits, of_commands_that_do_not_train) {
  const std::string model = *folder / "any.bin";
  expect_sound({"predict", model, test()});
  expect_sound({"evaluate", model, test()});
  expect_sound({"generate", *folder / "more.svm", "--rows", "3000"}, false);
  expect_sound({"convert", model, *folder / "any.txt"}, false);
}

}  // namespace
}  // namespace hogwild::test
