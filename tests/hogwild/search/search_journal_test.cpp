// SPDX-License-Identifier: Apache-2.0
#include <hogwild/search.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <hogwild/error.hpp>

#include "analytic_trainer.hpp"
#include "support/refusal.hpp"
#include "support/scratch_folder.hpp"

namespace hogwild {
namespace {

using ::testing::HasSubstr;

std::string text_in(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class SearchJournal : public ::testing::Test {
 protected:
  search_result search(const std::function<void(search_options&)>& change = {}) {
    search_options options{
        .strategy = strategy_kind::hyperband, .epochs = 4, .eta = 2, .journal = path, .identity = "of \"a\"\n"};
    if (change) change(options);
    trainer = analytic_trainer(4);
    return run_search(space_of_l2_and_step(), options, trainer);
  }
  void write(const std::string& text) const { std::ofstream(path, std::ios::binary) << text; }
  std::string fault(const std::function<void(search_options&)>& change = {}) {
    return test::refusal_of<error>([&] { search(change); }, "no fault");
  }

  test::scratch_folder folder;
  const std::string path = (folder / "journal").string();
  analytic_trainer trainer;
};

TEST_F(SearchJournal, GoesOnFromWhereverItWasKilledToTheSameAnswer) {
  const search_result whole = search();
  const std::string text = text_in(path);
  const std::size_t results = trainer.asked.size();
  ASSERT_EQ(results, 14u);
  // After each line, in the middle of each, and before the first.
  std::vector<std::size_t> cuts{0, 5};
  std::vector<std::size_t> lines{0, 0};
  for (std::size_t end = text.find('\n'), line = 0; end != std::string::npos; end = text.find('\n', end + 1), ++line) {
    cuts.push_back(end + 1);
    lines.push_back(line);
    if (end + 12 < text.size()) {
      cuts.push_back(end + 12);
      lines.push_back(line);
    }
  }
  for (std::size_t k = 0; k < cuts.size(); ++k) {
    write(text.substr(0, cuts[k]));
    const search_result resumed = search();
    EXPECT_EQ(resumed.best, whole.best);
    EXPECT_EQ(resumed.replayed, lines[k]) << "cut at " << cuts[k];
    EXPECT_EQ(trainer.asked.size(), results - lines[k]) << "the trainer is asked for what is missing alone";
    EXPECT_EQ(text_in(path), text);
    for (const trial& t : whole.trials) {
      EXPECT_EQ(resumed.trials[t.number].metric, t.metric);
      EXPECT_EQ(resumed.trials[t.number].epochs, t.epochs);
      EXPECT_EQ(resumed.trials[t.number].state, t.state);
    }
  }
}

TEST_F(SearchJournal, KeepsThatATrialDiverged) {
  const std::vector<std::string> texts{"l2=1e-5", "step=1000,1"};
  const search_options options{.strategy = strategy_kind::grid, .journal = path};
  run_search(search_space::parse(texts), options, trainer);
  EXPECT_THAT(text_in(path), HasSubstr("{\"trial\":0,\"epochs\":20,\"metric\":null}\n"));
  const search_result again = run_search(search_space::parse(texts), options, trainer);
  EXPECT_EQ(again.replayed, 2u);
  EXPECT_EQ(again.trials[0].state, trial_state::diverged);
  EXPECT_EQ(*again.best, 1u);
}

TEST_F(SearchJournal, OfAnotherSearchIsRefused) {
  search();
  const std::string text = text_in(path);
  const auto refused = HasSubstr("is the journal of another search");
  EXPECT_THAT(fault([](search_options& o) { o.seed = 2; }), refused);
  EXPECT_THAT(fault([](search_options& o) { o.epochs = 10; }), refused);
  EXPECT_THAT(fault([](search_options& o) { o.eta = 3; }), refused);
  EXPECT_THAT(fault([](search_options& o) { o.identity = "of b"; }), refused);
  EXPECT_THAT(fault([](search_options& o) { o.strategy = strategy_kind::random; }), refused);
  const std::vector<std::string> texts{"l2=log:1e-8:1e-2:7", "step=log:0.01:101:5"};
  EXPECT_THROW(
      run_search(
          search_space::parse(texts),
          {.strategy = strategy_kind::hyperband, .epochs = 4, .eta = 2, .journal = path, .identity = "of \"a\"\n"},
          trainer),
      input_error);
  EXPECT_EQ(text_in(path), text) << "what is refused stays as it is";
}

TEST_F(SearchJournal, AFileThatIsNoneStaysAsItIs) {
  for (const char* const text : {"1 2:3\n", "no line", "{\"other\":1}\n"}) {
    write(text);
    EXPECT_THAT(fault(), HasSubstr("is no journal of a search"));
    EXPECT_EQ(text_in(path), text);
  }
}

TEST_F(SearchJournal, ADamagedLineIsTold) {
  search();
  std::string text = text_in(path);
  const std::size_t second = text.find('\n') + 1;
  write(text.insert(second, "{\"trial\":1}\n"));
  EXPECT_THAT(fault(), HasSubstr(":2: is no result of a search"));
}

TEST_F(SearchJournal, IsOfOneSearchAtATime) {
  const search_options options{.epochs = 2, .trials = 2, .journal = path};
  std::string second;
  run_search(space_of_l2_and_step(), options, trainer, [&](const search_progress&) {
    analytic_trainer other;
    try {
      run_search(space_of_l2_and_step(), options, other);
    } catch (const config_error& e) {
      second = e.what();
    }
    return observer_answer::go_on;
  });
  EXPECT_THAT(second, HasSubstr("another search has the journal"));
}

TEST_F(SearchJournal, APlaceThatCannotBeWrittenIsToldBeforeAnybodyTrains) {
  EXPECT_THAT(fault([](search_options& o) { o.journal = "/nowhere/journal"; }), HasSubstr("/nowhere/journal: "));
  EXPECT_THAT(fault([](search_options& o) { o.journal = "/dev/null"; }), HasSubstr("is no regular file"));
  EXPECT_TRUE(trainer.calls.empty());
}

}  // namespace
}  // namespace hogwild
