// SPDX-License-Identifier: Apache-2.0
// Every command of a user who may have only so many processes and threads, and runs that may have only so much memory.
#include <gmock/gmock.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <unistd.h>

#include "small_data.hpp"
#include "support/eventually.hpp"

namespace hogwild::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class thread_limits : public with_small_data {
 protected:
  static void SetUpTestSuite() {
    with_small_data::SetUpTestSuite();
    ASSERT_EQ(hogwild({"train", train(), "--epochs 1 --quiet --save", *folder / "any.bin"}).code, 0);
    std::filesystem::permissions(folder->path(), std::filesystem::perms::all);
    for (const auto& file : std::filesystem::directory_iterator(folder->path()))
      std::filesystem::permissions(file, std::filesystem::perms::all);
  }

  /// The command as a user without other processes, where root may become one. Else those of this user count too.
  static outcome with_at_most(int tasks, const command_words& arguments) {
    // Looking for leaks at the end takes a process more, and changes the exit code where there is none.
    const char* const sanitizer = std::getenv("ASAN_OPTIONS");
    const std::string options = sanitizer != nullptr ? std::string(sanitizer) + ":" : "";
    const char* const become = ::geteuid() == 0 ? "setpriv --reuid 54321 --clear-groups --bounding-set=-all" : "";
    return run_program({"/usr/bin/env", "ASAN_OPTIONS=" + options + "detect_leaks=0", become, "prlimit",
                        "--nproc=" + std::to_string(tasks), hogwild_path(), arguments});
  }

  static command_words training(const command_words& more) {
    return {"train", train(), "--test", test(), "--step 0.05 --epochs 2", more};
  }

  /// Either it works, or it ends with 4 and the limit's name. Fewer workers are no remedy for those who have none.
  static void expect_sound(const command_words& arguments, bool has_workers = true) {
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
  expect_sound(training({"--engine serial"}), false);
  for (const char* team : {"openmp", "tbb", "std"})
    expect_sound(training({"--engine threads --team", team, "--workers 3 --sharing direct"}));
  expect_sound(training({"--engine ring --workers 2 --replicas 2"}));
  expect_sound(training({"--engine all_reduce --workers 2"}));
}

TEST_F(thread_limits, of_engines_of_several_processes) {
  expect_sound(training({"--engine processes --workers 2 --sharing direct"}));
  expect_sound(training({"--engine ring --workers 2 --replicas 2 --transport shared_segment"}));
  expect_sound(training({"--engine local_sgd --workers 2 --transport shared_segment"}));
}

TEST_F(thread_limits, of_commands_that_do_not_train) {
  const std::string model = *folder / "any.bin";
  expect_sound({"predict", model, test()});
  expect_sound({"evaluate", model, test()});
  expect_sound({"generate", *folder / "more.svm", "--rows 3000"}, false);
  expect_sound({"convert", model, *folder / "any.txt"}, false);
}

/// A control group of this test with a limit on memory, which all processes in it share.
class memory_group {
 public:
  explicit memory_group(const std::string& bytes) {
    for (const auto& [root, limit] :
         {std::pair("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), std::pair("/sys/fs/cgroup", "memory.max")}) {
      const std::filesystem::path made = std::string(root) + "/hogwild_limits_test_" + std::to_string(::getpid());
      std::error_code failure;
      if (!std::filesystem::create_directory(made, failure)) continue;
      path_ = made;
      std::ofstream(made / limit) << bytes;
      if (read_file(made / limit).starts_with(bytes)) return;
      std::filesystem::remove(std::exchange(path_, {}), failure);
    }
  }
  memory_group(const memory_group&) = delete;
  memory_group& operator=(const memory_group&) = delete;
  ~memory_group() {
    std::error_code ignored;  // until its last process is gone
    eventually(std::chrono::seconds(1), [&] { return path_.empty() || std::filesystem::remove(path_, ignored); });
  }

  bool is_there() const { return !path_.empty(); }
  outcome run(const command_words& arguments) const {
    return run_program(
        {"/bin/sh -c", std::string("echo $$ > \"$0\"/cgroup.procs && exec \"$@\""), path_, hogwild_path(), arguments});
  }

 private:
  std::filesystem::path path_{};
};

class memory_limits : public with_small_data {};

// 4 workers with two replicas each of 1,500 columns with 2,048 factors, and as many sums: 200 MB. The system would kill
// them one after the other.
TEST_F(memory_limits, of_a_control_group_are_told_before_workers_are_killed) {
  constexpr const char* bytes = "100663296";
  const memory_group group(bytes);
  if (!group.is_there()) GTEST_SKIP() << "this user may not limit the memory of a control group";
  for (const std::string engine : {"processes", "threads"}) {
    const command_words all = {"train", train(), "--engine", engine, "--workers 4 --epochs 1 --quiet"};
    EXPECT_EQ(group.run(all).code, 0) << engine;
    const outcome o = group.run(
        {all, "--model factorization_machine --factors 2048 --optimizer adagrad --step 0.01", "--sharing buffered"});
    EXPECT_EQ(o.code, 4) << engine << o.err;
    EXPECT_THAT(o.err,
                HasSubstr("its control group has a limit of " + std::string(bytes) + " bytes (96 MiB), of which only"));
    EXPECT_THAT(o.err, HasSubstr("raise the limit"));
  }
}

}  // namespace
}  // namespace hogwild::test
