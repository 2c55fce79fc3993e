// SPDX-License-Identifier: Apache-2.0
#include "hogwild/rank_trainer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <hogwild/detail/collectives/thread.hpp>
#include <hogwild/error.hpp>

#include "hogwild/folds_request.hpp"
#include "hogwild/search/analytic_trainer.hpp"
#include "hogwild/several_request.hpp"
#include "hogwild/train_request.hpp"
#include "hogwild/train_words.hpp"
#include "support/scratch_folder.hpp"

namespace hogwild::cli {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

/// Trains at once, unless it is to fail or to wait for the end.
struct rank_of_test final : trial_trainer {
  analytic_trainer analytic{3};
  std::function<void()> before{};
  std::set<std::size_t> forgotten{};
  search_end how{};
  std::optional<exit_code> failed{};
  std::string sentence{};

  void train(std::span<trial* const> some, std::size_t epochs) override {
    if (before) before();
    analytic.train(some, epochs);
  }
  std::size_t at_once(const trial& t) const override { return analytic.at_once(t); }

  std::set<std::size_t> trained() const {
    std::set<std::size_t> numbers;
    for (const auto& [number, epochs] : analytic.asked) numbers.insert(number);
    return numbers;
  }
};

/// A search of l2 and step by as many ranks, which are threads.
struct searched {
  std::vector<rank_of_test> ranks;
  search_options options{.strategy = strategy_kind::hyperband, .epochs = 27};
  std::vector<std::stop_source> asked;
  search_result result{};

  explicit searched(std::size_t n) : ranks(n), asked(n) {}

  /// Runs the search on all ranks. `each` is called on a rank before each of its trials, with the rank's request to
  /// stop.
  void run(const std::function<void(std::size_t rank, std::stop_token)>& each = {}) {
    thread_group group(ranks.size());
    std::vector<std::jthread> threads;
    for (std::size_t r = 0; r < ranks.size(); ++r) threads.emplace_back([&, r] { be(group, r, each); });
  }

 private:
  void be(thread_group& group, std::size_t r, const std::function<void(std::size_t, std::stop_token)>& each) {
    rank_of_test& mine = ranks[r];
    const auto member = group.join(r);
    ranks_at_work all(member.get(), asked[r].get_token());
    if (each) mine.before = [&] { each(r, all.stop()); };
    const search_space space = space_of_l2_and_step();
    search_options own = options;
    own.stop = all.stop();
    rank_trainer trainer(all, plan_trials(space, own), mine, [&](std::size_t trial) { mine.forgotten.insert(trial); });
    try {
      if (r > 0) {
        mine.how = trainer.serve([] {});
        return;
      }
      result = run_search(space, own, trainer, [&](const search_progress& now) {
        for (const trial& t : now.trials)
          if (t.epochs > 0 && t.state != trial_state::waiting) trainer.forget(t.number);
        return observer_answer::go_on;
      });
      trainer.end({.finished = result.finished, .found = result.best.has_value()});
    } catch (const error& e) {
      mine.failed = e.code();
      mine.sentence = e.what();
    }
  }
};

void wait_for_stop(const std::stop_token& stop) {
  while (!stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void expect_same(const std::vector<trial>& found, const std::vector<trial>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    EXPECT_EQ(found[k].measured, expected[k].measured) << k;
    EXPECT_EQ(found[k].state, expected[k].state) << k;
  }
}

TEST(rank_trainer, gives_each_trial_to_one_rank_and_comes_to_the_same_answer) {
  for (const strategy_kind strategy : {strategy_kind::grid, strategy_kind::random, strategy_kind::hyperband}) {
    analytic_trainer alone;
    search_options options{.strategy = strategy, .epochs = 27};
    const search_result expected = run_search(space_of_l2_and_step(), options, alone);
    for (const std::size_t n : {1u, 2u, 3u, 5u}) {
      searched found(n);
      found.options = options;
      found.run();
      expect_same(found.result.trials, expected.trials);
      EXPECT_EQ(found.result.best, expected.best);
      std::size_t trained = 0, most = 0, least = expected.trials.size();
      for (std::size_t r = 0; r < n; ++r) {
        const rank_of_test& rank = found.ranks[r];
        for (const auto& [trials, epochs] : rank.analytic.calls) EXPECT_LE(trials, rank.at_once({}));
        const std::set<std::size_t> own = rank.trained();
        trained += own.size();
        most = std::max(most, own.size());
        least = std::min(least, own.size());
        for (const std::size_t trial : rank.forgotten) EXPECT_TRUE(own.contains(trial)) << trial << " on " << r;
        EXPECT_TRUE(r == 0 || (rank.how.finished && rank.how.found));
        EXPECT_TRUE(strategy != strategy_kind::hyperband || !rank.forgotten.empty());
      }
      EXPECT_EQ(trained, expected.trials.size()) << "each by one rank";
      EXPECT_LE(most - least, 1u);
    }
  }
}

TEST(rank_trainer, rank_that_fails_ends_the_work_of_the_others_and_all_throw_the_same) {
  searched failing(3);
  failing.run([](std::size_t rank, const std::stop_token& stop) {
    if (rank == 1) throw input_error("line 3 is torn");
    wait_for_stop(stop);
  });
  for (const rank_of_test& rank : failing.ranks) {
    EXPECT_EQ(rank.failed, exit_code::input);
    EXPECT_EQ(rank.sentence, "rank 1 of 3: line 3 is torn");
  }
}

TEST(rank_trainer, rank_that_is_asked_to_stop_stops_all) {
  searched stopped(3);
  stopped.run([&](std::size_t rank, const std::stop_token& stop) {
    if (rank == 2) stopped.asked[2].request_stop();
    wait_for_stop(stop);
  });
  EXPECT_FALSE(stopped.result.finished);
  for (const rank_of_test& rank : stopped.ranks) {
    EXPECT_FALSE(rank.failed);
    EXPECT_FALSE(rank.how.finished);
  }
}

/// Does not end before it is asked to stop.
struct broken_off final : trial_trainer {
  void train(std::span<trial* const>, std::size_t) override {}
};

// Its rank has not trained it, and does not know the metric.
TEST(rank_trainer, trial_that_is_broken_off_keeps_what_stands_in_the_journal) {
  const test::scratch_folder folder;
  const search_options options{
      .strategy = strategy_kind::halving, .epochs = 9, .trials = 9, .journal = folder / "journal"};
  const search_space space = space_of_l2_and_step();
  analytic_trainer alone;
  const search_result begun =
      run_search(space, options, alone, [](const search_progress&) { return observer_answer::stop; });
  ASSERT_EQ(begun.trained, 9u);

  thread_group group(2);
  std::vector<std::jthread> threads;
  search_result resumed;
  for (const std::size_t r : {0u, 1u})
    threads.emplace_back([&, r] {
      const auto member = group.join(r);
      ranks_at_work all(member.get(), {});
      broken_off own;
      rank_trainer trainer(all, plan_trials(space, options), own, [](std::size_t) {});
      if (r > 0) {
        trainer.serve([] {});
        return;
      }
      resumed = run_search(space, options, trainer);
      trainer.end({});
    });
  threads.clear();
  EXPECT_FALSE(resumed.finished);
  EXPECT_EQ(resumed.replayed, 9u);
  EXPECT_EQ(resumed.best, begun.best);
  for (const trial& t : resumed.trials) EXPECT_EQ(t.metric, begun.trials[t.number].metric) << t.number;
}

TEST(words_with_facts, are_options_of_train_or_of_search_each_once) {
  train_request request;
  command_line line("train", "", "");
  declare_training(line, request);
  declare_folds(line, request.folds);
  declare_words(line, request, {"--cpus", "--verify"});  // of advise
  const std::set<std::string_view> of_search{"--space", "--strategy", "--configurations",
                                             "--eta",   "--metric",   "--journal"};
  std::set<std::string_view> once;
  for (const std::string_view word : words_with_facts()) {
    EXPECT_TRUE(line.has(std::string(word)) || of_search.contains(word)) << word;
    EXPECT_TRUE(once.insert(word).second) << word << " is in two rows";
  }
}

TEST(compared_words, are_all_that_are_given_but_those_of_a_rank) {
  train_request request;
  command_line line("train", "", "");
  declare_training(line, request);
  declare_several(line, request.several);
  declare_folds(line, request.folds);
  line.take({"rows.svm", "--l2", "1e-1", "--workers", "3", "--test", "other.svm", "--no-bias", "--save", "m.bin",
             "--resume", "run.checkpoint", "--ensemble", "4", "--folds", "3"});
  std::vector<std::string> words;
  for (const named_value& word : compared_words(line)) words.push_back(word.name + "=" + word.value);
  EXPECT_THAT(words, ::testing::UnorderedElementsAre("--l2=0.1", "--test=given", "--bias=false", "--resume=given",
                                                     "--ensemble=4", "--folds=3"));
  train_request other;
  command_line fraction("train", "", "");
  declare_training(fraction, other);
  fraction.take({"rows.svm", "--test", "0.25"});
  EXPECT_EQ(compared_words(fraction).front().value, "0.25");
}

}  // namespace
}  // namespace hogwild::cli
