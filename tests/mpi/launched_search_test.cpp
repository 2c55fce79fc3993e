// SPDX-License-Identifier: Apache-2.0
// mpiexec -n N hogwild search: the same answer as without it.
#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <random>
#include <thread>

#include "mpi/with_ranks.hpp"

namespace hogwild::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const command_words drawn{"--space l2=log:1e-8:1e-2 --space step=log:0.01:100"};
/// Each trial by a run of its own.
const command_words runs{"--optimizer adagrad"};

class launched_search : public with_ranks {
 protected:
  static command_words search(const command_words& options) { return {"search", train(), "--json", options}; }
  /// The part of the result that must be the same for any number of ranks.
  static nlohmann::json answer(const nlohmann::json& found) {
    return {{"trials", found["trials"]}, {"best", found["best"]}, {"finished", found["finished"]}};
  }
};

struct search_way {
  std::string name;
  command_words options;
};

class each_search : public launched_search, public ::testing::WithParamInterface<search_way> {};

TEST_P(each_search, comes_to_the_same_answer_on_any_number_of_ranks) {
  const command_words asked = search({GetParam().options, "--quiet"});
  const auto alone = result_of(asked);
  EXPECT_EQ(alone["ranks"], 1);
  for (const int ranks : {1, 2, 3}) {
    const auto found = result_of(run(ranks, asked));
    EXPECT_EQ(found["ranks"], ranks);
    EXPECT_EQ(answer(found), answer(alone)) << ranks;
  }
}

INSTANTIATE_TEST_SUITE_P(
    ways, each_search,
    ::testing::Values(
        search_way{"grid", {"--strategy grid --epochs 3 --space l2=log:1e-8:1e-2:4 --space step=log:0.01:10:3"}},
        search_way{"random", {"--configurations 7 --epochs 3", drawn}},
        search_way{"halving", {"--strategy halving --configurations 9 --epochs 9", drawn}},
        search_way{"hyperband", {"--strategy hyperband --epochs 9", drawn}},
        search_way{"hyperband_of_runs", {"--strategy hyperband --epochs 9", drawn, runs}},
        search_way{"folds", {"--configurations 5 --epochs 3 --folds 3", drawn}},
        search_way{"folds_of_runs", {"--configurations 5 --epochs 3 --folds 3", drawn, runs}},
        search_way{"reproducible", {"--engine threads --reproducible --configurations 4 --epochs 3", drawn}},
        search_way{"fewer_trials_than_ranks", {"--configurations 2 --epochs 3", drawn}}),
    [](const auto& tested) { return tested.param.name; });

TEST_F(launched_search, says_that_what_it_finds_is_for_one_process) {
  const command_words asked{"search", train(), "--configurations 2 --epochs 2"};
  const outcome o = run(2, {asked, drawn});
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.err, HasSubstr("2 ranks share the trials, and one rank trains each on all rows"));
  EXPECT_THAT(o.out, HasSubstr("for one process, as each trial was"));
  EXPECT_EQ(result_of(run(2, {asked, drawn, "--json", "--quiet"}))["best"]["command_ranks"], 1);
}

TEST_F(launched_search, saves_the_model_that_one_process_saves) {
  const std::string alone = *folder / "alone.bin", model = *folder / "ranks.bin", record = *folder / "record.json";
  const command_words asked = search({"--configurations 5 --epochs 3", drawn});
  result_of({asked, "--save", alone});
  const auto found = result_of(run(3, {asked, "--save", model, "--record", record}));
  EXPECT_EQ(read_file(model), read_file(alone));
  EXPECT_EQ(nlohmann::json::parse(read_file(record)), found);
}

// One rank has the trial that diverges, another the one that is refused.
TEST_F(launched_search, tells_why_none_can_be_whichever_rank_knows) {
  const outcome o =
      run(2, search({"--strategy grid --model least_squares --space step=1e30 --space l2=0,1e-3 --epochs 2"}));
  EXPECT_EQ(o.code, 2);
  EXPECT_THAT(o.err, AllOf(HasSubstr("trial 1 cannot be: step * l2 is"), HasSubstr("rank 1 of 2: step * l2 is")));
}

// mpiexec adds a line of its own.
TEST_F(launched_search, tells_what_is_wrong_with_the_command_line_once) {
  const auto times_told = [](const outcome& o, const std::string& sentence) {
    std::size_t times = 0;
    for (std::size_t at = 0; (at = o.err.find(sentence, at)) != std::string::npos; ++at) ++times;
    return times;
  };
  const outcome misspelt = run(3, search({"--space step=1,2 --epochz 2"}));
  EXPECT_EQ(misspelt.code, 2);
  EXPECT_EQ(times_told(misspelt, "--epochz"), 1u) << misspelt.err;
  const outcome unknown = run(3, search({"--space stepp=1,2"}));
  EXPECT_EQ(unknown.code, 2);
  EXPECT_EQ(times_told(unknown, "stepp"), 1u) << unknown.err;
}

TEST_F(launched_search, has_the_same_rows_on_all_ranks_or_none) {
  const command_words options{"--strategy grid --space step=1,2"};
  for (const std::string path : {"-", "part%rank.svm"}) {
    expect_told(run(2, {"search", path, options}), 2, path == "-" ? "cannot all read standard input" : "without %rank");
  }
  const std::string rows = read_file(train());
  write_file(*folder / "rows0.svm", rows);
  const auto on_ranks = [&] {
    return running_command(with_script(3,
                                       "set -- search '" + folder->path().string() + "'/rows$((RANK / 2)).svm \"$@\"",
                                       {options, "--rank-timeout 10"}))
        .wait();
  };
  write_file(*folder / "rows1.svm", rows.substr(0, rows.rfind('\n', rows.size() - 2) + 1));
  const outcome fewer = on_ranks();
  EXPECT_EQ(fewer.code, 3);
  EXPECT_THAT(fewer.err, AllOf(HasSubstr("hogwild: rank 2 of 3: "), HasSubstr("the rows of "), HasSubstr(" here, "),
                               HasSubstr(" on rank 0")));
  write_file(*folder / "rows1.svm", rows + "1 1:1 2:x\n");
  const std::string last = "rows1.svm:" + std::to_string(lines_of(rows).size() + 1) + ":";
  const outcome torn = on_ranks();
  EXPECT_EQ(torn.code, 3);
  EXPECT_THAT(torn.err, AllOf(HasSubstr("hogwild: rank 2 of 3: "), HasSubstr(last)));
  EXPECT_THAT(torn.err, Not(HasSubstr("rank 0 of 3")));
}

/// Searches that take seconds, however many CPUs there are.
class long_search : public launched_search {
 protected:
  static command_words search(const command_words& options) {
    return launched_search::search({"--strategy hyperband --epochs 81 --workers 1", drawn, runs, options});
  }
  std::string journal() const { return *folder / "journal"; }
  void SetUp() override {
    std::filesystem::remove(journal());
    std::filesystem::remove_all(journal() + ".trials");
  }
};

TEST_F(long_search, killed_at_any_moment_goes_on_with_another_number_of_ranks) {
  const auto whole = result_of(hogwild(search({"--quiet"})));
  const auto seed = std::random_device{}();
  std::mt19937 draw(seed);
  int killed = 0;
  for (const int ranks : {2, 3, 2}) {
    running_command search_to_kill(with_pids(ranks, search({"--journal", journal()})));
    ASSERT_TRUE(search_to_kill.says("trial  ")) << search_to_kill.err();
    if (killed > 0) std::this_thread::sleep_for(std::chrono::milliseconds(draw() % 200));
    ::kill(pid_of(static_cast<int>(draw() % static_cast<unsigned>(ranks))), SIGKILL);
    if (search_to_kill.wait().code == 0) break;  // it was through before
    ++killed;
    EXPECT_TRUE(std::filesystem::exists(journal() + ".trials")) << seed;
  }
  EXPECT_GT(killed, 0) << seed;
  const auto resumed = result_of(run(3, search({"--journal", journal(), "--quiet"})));
  EXPECT_EQ(answer(resumed), answer(whole)) << seed;
  EXPECT_GT(resumed["replayed"], 0) << seed;
  EXPECT_FALSE(std::filesystem::exists(journal() + ".trials"));
  const auto again = result_of(hogwild(search({"--journal", journal(), "--quiet"})));
  EXPECT_EQ(answer(again), answer(whole)) << seed;
  EXPECT_EQ(again["trained"], 0);
}

TEST_F(long_search, stops_where_any_rank_is_asked_to) {
  for (const int rank : {0, 1}) {
    // Open MPI 5 forwards some of a rank's last output to the wrong stream.
    const std::string record = *folder / "record.json";
    running_command stopped(with_pids(2, search({"--journal", journal(), "--record", record})));
    ASSERT_TRUE(stopped.says("trial  ")) << stopped.err();
    ASSERT_EQ(::kill(pid_of(rank), SIGTERM), 0);
    const outcome o = stopped.wait();
    EXPECT_EQ(o.code, 130) << rank;
    EXPECT_THAT(o.err, HasSubstr("the same command continues from"));
    const auto found = nlohmann::json::parse(read_file(record));
    EXPECT_FALSE(found["finished"]);
    EXPECT_GT(found["trained"].get<int>() + found["replayed"].get<int>(), 0);
  }
}

TEST_F(long_search, rank_that_is_killed_is_named) {
  running_command lost(with_pids(3, search({"--journal", journal()})));
  ASSERT_TRUE(lost.says("trial  ")) << lost.err();
  ASSERT_EQ(::kill(pid_of(1), SIGKILL), 0);
  const outcome o = lost.wait();
  EXPECT_NE(o.code, 0);
  EXPECT_THAT(o.err + o.out,
              AllOf(HasSubstr("rank 1 of 3 has ended, so the run ends and nothing is saved but the journal"),
                    HasSubstr("the same command continues from " + journal())));
}

TEST_F(long_search, rank_that_no_longer_answers_ends_all_and_is_named) {
  for (const int rank : {0, 1}) {
    running_command silent(with_pids(2, search({"--rank-timeout 3"})));
    ASSERT_TRUE(silent.says("trial  ")) << silent.err();
    ASSERT_EQ(::kill(pid_of(rank), SIGSTOP), 0);
    expect_told(silent.wait(), 1, "rank " + std::to_string(rank) + " of 2 has not come to ");
  }
}

}  // namespace
}  // namespace hogwild::test
