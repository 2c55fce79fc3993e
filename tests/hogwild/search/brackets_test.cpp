// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/search/brackets.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace hogwild {
namespace {

using ::testing::ElementsAre;

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
