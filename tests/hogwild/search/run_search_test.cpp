// SPDX-License-Identifier: Apache-2.0
#include <hogwild/search.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/search/brackets.hpp>
#include <hogwild/error.hpp>

#include "analytic_trainer.hpp"
#include "support/refusal.hpp"

namespace hogwild {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

using calls = std::vector<std::pair<std::size_t, std::size_t>>;

TEST(RunSearch, AGridFindsThePlantedBest) {
  analytic_trainer trainer;
  const search_result found =
      run_search(space_of_l2_and_step(), {.strategy = strategy_kind::grid, .epochs = 9}, trainer);
  ASSERT_TRUE(found.best && found.finished);
  EXPECT_EQ(to_text(found.trials[*found.best].options), "--l2=1e-05 --step=1");
  EXPECT_EQ(found.trials.size(), 35u);
  EXPECT_EQ(trainer.calls, (calls{{35, 9}}));
  EXPECT_TRUE(std::ranges::all_of(found.trials, [](const trial& t) { return t.state == trial_state::done; }));
}

TEST(RunSearch, RandomTrialsAreDrawnAndTheBestOfThemIsFound) {
  analytic_trainer trainer;
  const search_space space = space_of_l2_and_step();
  const search_result found = run_search(space, {.epochs = 9, .trials = 50, .seed = 4}, trainer);
  ASSERT_TRUE(found.best);
  for (const trial& t : found.trials) {
    EXPECT_EQ(t.options, space.drawn_point(4, t.number));
    EXPECT_GE(t.metric, found.trials[*found.best].metric);
  }
  const std::vector<std::string> lists{"l2=1e-6,1e-5,1e-4", "step=0.1,1,10"};
  // The probability that none of 200 draws is the planted one of 9 is (8/9)^200 < 1e-10.
  const search_result planted = run_search(search_space::parse(lists), {.trials = 200}, trainer);
  EXPECT_EQ(to_text(planted.trials[*planted.best].options), "--l2=1e-5 --step=1");
}

TEST(RunSearch, HalvingTrainsTheBestFurther) {
  analytic_trainer trainer;
  const search_result found = run_search(
      space_of_l2_and_step(), {.strategy = strategy_kind::halving, .epochs = 8, .trials = 16, .eta = 2}, trainer);
  EXPECT_EQ(trainer.calls, (calls{{16, 1}, {8, 2}, {4, 4}, {2, 8}}));
  std::vector<trial> by_metric = found.trials;
  for (trial& t : by_metric) t.metric = analytic_trainer::metric_of(t, 1);
  std::ranges::sort(by_metric, {}, &trial::metric);
  for (std::size_t k = 0; k < 16; ++k) {
    const trial& t = found.trials[by_metric[k].number];
    EXPECT_EQ(t.epochs, k < 2 ? 8u : k < 4 ? 4u : k < 8 ? 2u : 1u) << k;
    EXPECT_EQ(t.state, k < 2 ? trial_state::done : trial_state::stopped) << k;
    std::vector<trial_result> rungs;
    for (std::size_t epochs = 1; epochs <= t.epochs; epochs *= 2)
      rungs.push_back({.epochs = epochs, .metric = analytic_trainer::metric_of(t, epochs)});
    EXPECT_EQ(t.measured, rungs) << k;
  }
  EXPECT_EQ(*found.best, by_metric[0].number);
}

TEST(RunSearch, HyperbandRunsItsBracketsOneAfterTheOther) {
  analytic_trainer trainer;
  const search_result found =
      run_search(space_of_l2_and_step(), {.strategy = strategy_kind::hyperband, .epochs = 27}, trainer);
  EXPECT_EQ(trainer.calls,
            (calls{{27, 1}, {9, 3}, {3, 9}, {1, 27}, {12, 3}, {4, 9}, {1, 27}, {6, 9}, {2, 27}, {4, 27}}));
  EXPECT_EQ(found.trials.size(), 49u);
  EXPECT_EQ(found.trials[27].bracket, 1u);
  EXPECT_EQ(found.trials[48].bracket, 3u);
}

TEST(RunSearch, ADivergedTrialIsNeverTheBestAndOthersDoNotNotice) {
  const std::vector<std::string> texts{"l2=1e-5", "step=1000,10,1,2000"};
  analytic_trainer trainer;
  const search_result found =
      run_search(search_space::parse(texts), {.strategy = strategy_kind::grid, .epochs = 3}, trainer);
  EXPECT_EQ(found.trials[0].state, trial_state::diverged);
  EXPECT_EQ(found.trials[3].state, trial_state::diverged);
  EXPECT_TRUE(std::isinf(found.trials[0].metric));
  EXPECT_TRUE(std::isinf(found.trials[0].measured.at(0).metric));
  EXPECT_EQ(*found.best, 2u);
  EXPECT_TRUE(found.finished);
}

TEST(RunSearch, WhereAllDivergeThereIsNoBest) {
  const std::vector<std::string> texts{"l2=1e-5", "step=1000,2000,3000,4000"};
  analytic_trainer trainer;
  const search_result found = run_search(
      search_space::parse(texts), {.strategy = strategy_kind::halving, .epochs = 4, .trials = 8, .eta = 2}, trainer);
  EXPECT_TRUE(found.finished);
  EXPECT_FALSE(found.best);
  EXPECT_EQ(trainer.calls.size(), 1u) << "no trial was left for the next rung";
}

TEST(RunSearch, GivesTheTrainerNoMoreThanItTakes) {
  analytic_trainer trainer(4);
  std::size_t told = 0;
  run_search(space_of_l2_and_step(), {.epochs = 2, .trials = 10}, trainer, [&](const search_progress& p) {
    ++told;
    EXPECT_EQ(p.trials.size(), 10u);
    EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(p.trials, 2u, &trial::epochs)),
              std::min<std::size_t>(4 * told, 10));
    EXPECT_NE(p.best, nullptr);
    return observer_answer::go_on;
  });
  EXPECT_EQ(trainer.calls, (calls{{4, 2}, {4, 2}, {2, 2}}));
  EXPECT_EQ(told, 3u);
}

TEST(RunSearch, GivesTheTrainerTrialsOfOneKindAtATimeAndNoMoreThanItTakesOfThem) {
  const std::vector<std::string> texts{"l2=1e-5,1e-4,1e-3", "step=0.1,10"};
  analytic_trainer trainer(3, 2);
  const search_result found =
      run_search(search_space::parse(texts), {.strategy = strategy_kind::grid, .epochs = 2}, trainer);
  EXPECT_EQ(trainer.calls, (calls{{3, 2}, {2, 2}, {1, 2}}));
  const std::vector<std::pair<std::size_t, std::size_t>> small_first{{0, 2}, {2, 2}, {4, 2}, {1, 2}, {3, 2}, {5, 2}};
  EXPECT_EQ(trainer.asked, small_first);
  EXPECT_TRUE(found.finished);
}

TEST(RunSearch, WhoIsToldCanStopIt) {
  analytic_trainer trainer(4);
  const search_result found = run_search(space_of_l2_and_step(), {.epochs = 2, .trials = 10}, trainer,
                                         [](const search_progress&) { return observer_answer::stop; });
  EXPECT_FALSE(found.finished);
  EXPECT_EQ(trainer.calls.size(), 1u);
  EXPECT_TRUE(found.best) << "the best of those that were trained";
  EXPECT_EQ(found.trials[9].state, trial_state::waiting);
  EXPECT_TRUE(found.trials[9].measured.empty());
}

/// Is asked to stop at its third trial.
class stopped_trainer final : public trial_trainer {
 public:
  void train(std::span<trial* const> some, std::size_t epochs) override {
    for (std::size_t k = 0; k < 2; ++k) {
      some[k]->metric = static_cast<double>(5 - k);
      some[k]->epochs = epochs;
    }
  }
};

TEST(RunSearch, ATrialThatIsNotBroughtSoFarEndsIt) {
  stopped_trainer trainer;
  const search_result found = run_search(space_of_l2_and_step(), {.epochs = 2, .trials = 4}, trainer);
  EXPECT_FALSE(found.finished);
  EXPECT_EQ(found.trained, 2u);
  EXPECT_EQ(*found.best, 1u);
  EXPECT_EQ(found.trials[2].state, trial_state::waiting);
}

TEST(RunSearch, TheBestIsOneThatWasTrainedToItsEnd) {
  std::vector<trial> trials(4);
  for (std::size_t k = 0; k < 4; ++k) trials[k].number = k;
  EXPECT_EQ(best_of(trials), nullptr);
  trials[0] = {.number = 0, .epochs = 1, .metric = 0.1, .state = trial_state::stopped};
  trials[1] = {.number = 1, .epochs = 3, .metric = 0.4, .state = trial_state::stopped};
  EXPECT_EQ(best_of(trials)->number, 1u);
  trials[2] = {.number = 2, .epochs = 9, .metric = 0.3, .state = trial_state::done};
  trials[3] = {.number = 3, .epochs = 9, .metric = 0.3, .state = trial_state::done};
  EXPECT_EQ(best_of(trials)->number, 2u) << "of equal ones the first";
}

TEST(RunSearch, ASpaceMayNameTheEpochs) {
  const std::vector<std::string> texts{"epochs=3,5", "l2=1e-5,1e-4", "step=1"};
  analytic_trainer trainer;
  const search_space space = search_space::parse(texts);
  const search_result found = run_search(space, {.strategy = strategy_kind::grid}, trainer);
  EXPECT_EQ(trainer.calls, (calls{{2, 3}, {2, 5}}));
  EXPECT_EQ(to_text(found.trials[*found.best].options), "--epochs=5 --l2=1e-5 --step=1");
  for (const strategy_kind kind : {strategy_kind::halving, strategy_kind::hyperband}) {
    EXPECT_THAT([&] { run_search(space, {.strategy = kind}, trainer); },
                testing::ThrowsMessage<config_error>(HasSubstr("deals out epochs itself")));
  }
}

TEST(RunSearch, TellsWhatIsWrongWithItsOptions) {
  analytic_trainer trainer;
  const auto fault = [&](const search_options& options) -> std::string {
    return test::refusal_of([&] { run_search(space_of_l2_and_step(), options, trainer); }, "no fault");
  };
  EXPECT_THAT(fault({.epochs = 0}), HasSubstr("from 1 to 1000000 epochs"));
  EXPECT_THAT(fault({.trials = 0}), HasSubstr("from 1 to 1000000 configurations"));
  EXPECT_THAT(fault({.strategy = strategy_kind::halving, .eta = 1}), HasSubstr("2 or more"));
  EXPECT_THAT(fault({.strategy = strategy_kind::hyperband, .epochs = 1000000, .eta = 2}),
              HasSubstr("take fewer epochs"));
  EXPECT_TRUE(trainer.calls.empty());
}

using rungs = std::vector<search_rung>;

// By hand from the paper's formulas: s_max = 3, B = 4 * 27; s = 2 begins with ceil(4 * 9 / 3) trials, and so on.
TEST(Brackets, OfHyperbandOver27EpochsAreThoseOfThePaper) {
  EXPECT_THAT(hyperband_brackets(27, 3), ElementsAre(search_bracket{{{27, 1}, {9, 3}, {3, 9}, {1, 27}}},
                                                     search_bracket{{{12, 3}, {4, 9}, {1, 27}}},
                                                     search_bracket{{{6, 9}, {2, 27}}}, search_bracket{{{4, 27}}}));
}

// Table 1 of the paper.
TEST(Brackets, OfHyperbandOver81EpochsAreTheTableOfThePaper) {
  EXPECT_THAT(hyperband_brackets(81, 3), ElementsAre(search_bracket{{{81, 1}, {27, 3}, {9, 9}, {3, 27}, {1, 81}}},
                                                     search_bracket{{{34, 3}, {11, 9}, {3, 27}, {1, 81}}},
                                                     search_bracket{{{15, 9}, {5, 27}, {1, 81}}},
                                                     search_bracket{{{8, 27}, {2, 81}}}, search_bracket{{{5, 81}}}));
}

TEST(Brackets, EpochsThatAreNoPowerAreRoundedAndEndWithAll) {
  EXPECT_THAT(hyperband_brackets(20, 3), ElementsAre(search_bracket{{{9, 2}, {3, 7}, {1, 20}}},
                                                     search_bracket{{{5, 7}, {1, 20}}}, search_bracket{{{3, 20}}}));
  EXPECT_THAT(hyperband_brackets(1, 3), ElementsAre(search_bracket{{{1, 1}}}));
  EXPECT_THAT(hyperband_brackets(2, 3), ElementsAre(search_bracket{{{1, 2}}}));
}

TEST(Brackets, OfHalvingHaveARungForEachPower) {
  EXPECT_EQ(halving_bracket(16, 8, 2).rungs, (rungs{{16, 1}, {8, 2}, {4, 4}, {2, 8}}));
  EXPECT_EQ(halving_bracket(5, 100, 2).rungs, (rungs{{5, 25}, {2, 50}, {1, 100}}));
  EXPECT_EQ(halving_bracket(20, 27, 3).rungs, (rungs{{20, 3}, {6, 9}, {2, 27}}));
  EXPECT_EQ(halving_bracket(1, 7, 3).rungs, (rungs{{1, 7}}));
}

TEST(Brackets, TrialsFallAndEpochsRiseWhateverTheyAreOf) {
  for (std::size_t epochs = 1; epochs <= 300; ++epochs) {
    for (const std::size_t eta : {2u, 3u, 4u, 7u}) {
      for (const search_bracket& b : hyperband_brackets(epochs, eta)) {
        EXPECT_EQ(b.rungs.back().epochs, epochs);
        for (std::size_t i = 0; i < b.rungs.size(); ++i) {
          EXPECT_GE(b.rungs[i].trials, 1u);
          if (i == 0) continue;
          EXPECT_LT(b.rungs[i].trials, b.rungs[i - 1].trials);
          EXPECT_GT(b.rungs[i].epochs, b.rungs[i - 1].epochs);
        }
      }
    }
  }
}

}  // namespace
}  // namespace hogwild
