// SPDX-License-Identifier: Apache-2.0
// The errors on the other ranks when one is lost. The launcher is told to let them live; by default it ends them all.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/platform/child_process.hpp>

#include "support/eventually.hpp"
#include "support/scratch_folder.hpp"

using namespace hogwild;
using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;

namespace {

struct outcome {
  exit_status status;
  std::vector<std::string> said;  ///< by rank; "" if it did not get there
};

outcome run_ranks(const std::string& how, bool let_them_live = true) {
  const test::scratch_folder folder;
  std::vector<std::string> arguments{"--oversubscribe", "-n", "3"};
  if (let_them_live) arguments.insert(arguments.begin(), "--enable-recovery");
  arguments.insert(arguments.end(), {MPI_RANK, how, folder.path().string()});
  // From version 5 on Open MPI ends all ranks where one ends with an error, recovery or not, unless it is told
  // otherwise.
  child_process launcher = spawn(
      MPIEXEC, arguments,
      {{"TMPDIR", folder.path().string()}, {"PRTE_MCA_state_base_error_non_zero_exit", let_them_live ? "0" : "1"}});
  outcome o;
  o.status = launcher.wait_for(60s).value_or(exit_status{.unknown = true});
  EXPECT_FALSE(o.status.unknown) << "the launcher still waits";
  for (int rank = 0; rank < 3; ++rank) {
    std::ifstream file(folder.path() / ("rank-" + std::to_string(rank)));
    o.said.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return o;
}

TEST(lost_rank, one_that_is_killed_is_named_by_all_others) {
  const outcome o = run_ranks("killed");
  EXPECT_EQ(o.said[1], "");
  for (const std::size_t rank : {0u, 2u}) {
    EXPECT_THAT(o.said[rank],
                AllOf(HasSubstr("rank 1 of 3 has not come to all_reduce within 2 s"), HasSubstr("checkpoint")));
  }
}

TEST(lost_rank, by_default_the_launcher_ends_all_at_once) {
  EXPECT_TRUE(test::ends_within(30s, [] { EXPECT_FALSE(run_ranks("killed", false).status.success()); }));
}

TEST(lost_rank, one_that_is_silent_is_given_up_after_the_timeout) {
  const outcome o = run_ranks("silent");
  for (const std::size_t rank : {0u, 2u})
    EXPECT_THAT(o.said[rank], HasSubstr("rank 1 of 3 has not come to all_reduce within 2 s"));
  EXPECT_THAT(o.said[1],
              AllOf(HasSubstr("this rank (rank 1 of 3) has been silent for longer than 2 s"), HasSubstr("checkpoint")));
}

TEST(lost_rank, one_that_leaves_is_not_waited_for) {
  const outcome o = run_ranks("leaves");
  EXPECT_EQ(o.said[1], "nothing happened");
  for (const std::size_t rank : {0u, 2u}) EXPECT_THAT(o.said[rank], HasSubstr("rank 1 of 3 has left"));
}

TEST(lost_rank, one_that_throws_is_not_waited_for) {
  const outcome o = run_ranks("wrong_root");
  EXPECT_THAT(o.said[1], HasSubstr("root 5"));
  for (const std::size_t rank : {0u, 2u}) EXPECT_THAT(o.said[rank], HasSubstr("rank 1 of 3 has left"));
}

TEST(lost_rank, one_that_fails_tells_the_others_why) {
  const outcome o = run_ranks("fails");
  for (const std::size_t rank : {0u, 2u}) EXPECT_EQ(o.said[rank], "rank 1 of 3 gave up: its disk is full");
}

TEST(lost_rank, one_whose_mpi_fails_tells_the_others_why) {
  const outcome o = run_ranks("mpi_fails");
  for (const std::string& said : o.said)
    EXPECT_THAT(said, HasSubstr("rank 1 of 3 gave up: no messages can be received: MPI says "));
}

TEST(lost_rank, different_calls_are_refused_by_all) {
  for (const char* how : {"shorter", "short_and_long", "other_call"}) {
    const outcome o = run_ranks(how);
    for (const std::string& said : o.said) EXPECT_THAT(said, HasSubstr("all ranks must make the same calls"));
  }
}

}  // namespace
