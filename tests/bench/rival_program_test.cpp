// SPDX-License-Identifier: Apache-2.0
#include "rivals/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include <hogwild/error.hpp>

#include "support/scratch_folder.hpp"

namespace hogwild::bench {
namespace {

using test::scratch_folder;

using ::testing::HasSubstr;

program_run shell(const std::string& script, const program_limits& limits = {}) {
  const scratch_folder folder;
  return run_program("/bin/sh", {"-c", script, "name", "a word"}, folder.path() / "log", limits);
}

TEST(rival_program, everything_it_says_is_kept) {
  const program_run run = shell("echo one; echo \"two $1\" >&2");
  EXPECT_EQ(run.output, "one\ntwo a word\n");
  EXPECT_GT(run.seconds, 0.0);
}

TEST(rival_program, the_environment_can_be_extended) {
  EXPECT_EQ(shell("echo $OF_THIS_RUN", {.environment = {{"OF_THIS_RUN", "yes"}}}).output, "yes\n");
}

TEST(rival_program, a_bad_end_is_told_with_its_last_words) {
  try {
    shell("echo out of luck; exit 3");
    FAIL() << "it ended well";
  } catch (const resource_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("code 3"));
    EXPECT_THAT(e.what(), HasSubstr("out of luck"));
  }
}

TEST(rival_program, its_last_words_name_no_folder_of_ours) {
  const scratch_folder folder;
  try {
    run_program("/bin/sh", {"-c", "echo cannot read $1; exit 1", "name", folder / "rows"}, folder / "log", {});
    FAIL() << "it ended well";
  } catch (const resource_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("cannot read rows"));
  }
}

TEST(rival_program, one_that_takes_too_long_is_killed) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THROW(shell("exec sleep 60", {.seconds = 0.15}), resource_error);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST(rival_program, a_request_to_stop_kills_it) {
  std::stop_source stop;
  stop.request_stop();
  try {
    shell("exec sleep 60", {.stop = stop.get_token()});
    FAIL() << "it went on";
  } catch (const error& e) {
    EXPECT_EQ(e.code(), exit_code::interrupted);
  }
}

TEST(rival_program, programs_are_found_by_name_and_by_path) {
  EXPECT_TRUE(find_program("sh"));
  EXPECT_EQ(find_program("/bin/sh"), "/bin/sh");
  EXPECT_FALSE(find_program("/bin"));
  EXPECT_FALSE(find_program("no-such-program-anywhere"));
}

}  // namespace
}  // namespace hogwild::bench
