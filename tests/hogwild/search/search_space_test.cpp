// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/search/search_space.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <hogwild/error.hpp>

#include "support/refusal.hpp"

namespace hogwild {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

search_space space_of(const std::vector<std::string>& texts) {
  return search_space::parse(texts, [](std::string_view option) { return option == "epochs" || option == "rank"; });
}

std::vector<std::string> values_of(const search_space& space, std::size_t option) {
  std::vector<std::string> all;
  for (std::size_t k = 0; k < space.grid_points(); ++k) all.push_back(space.grid_point(k)[option].text);
  return all;
}

TEST(SearchSpace, ReadsListsAndRangesAndWritesThemBack) {
  const std::vector<std::string> texts{"l2=log:1e-08:0.01:7", "step=0.1:2", "loss=a,b", "epochs=5:20:4", "batch=4"};
  EXPECT_EQ(space_of(texts).texts(), texts);
  EXPECT_EQ(space_of({"step=linear:0.1:2"}).texts(), std::vector<std::string>{"step=0.1:2"});
}

TEST(SearchSpace, GridIsTheProductAndItsLastOptionChangesFirst) {
  const search_space space = space_of({"model=logistic,hinge_svm", "step=0.5:1.5:3"});
  ASSERT_EQ(space.grid_points(), 6u);
  std::vector<std::string> points;
  for (std::size_t k = 0; k < 6; ++k) points.push_back(to_text(space.grid_point(k)));
  EXPECT_THAT(points, ElementsAre("--model=logistic --step=0.5", "--model=logistic --step=1",
                                  "--model=logistic --step=1.5", "--model=hinge_svm --step=0.5",
                                  "--model=hinge_svm --step=1", "--model=hinge_svm --step=1.5"));
}

TEST(SearchSpace, PointsOfAGridAreEvenByTheirLogarithms) {
  EXPECT_THAT(values_of(space_of({"l2=log:1e-8:1e-2:7"}), 0),
              ElementsAre("1e-08", "1e-07", "1e-06", "1e-05", "0.0001", "0.001", "0.01"));
  EXPECT_THAT(values_of(space_of({"rank=log:4:64:5"}), 0), ElementsAre("4", "8", "16", "32", "64"));
  EXPECT_THAT(values_of(space_of({"epochs=5:20:4"}), 0), ElementsAre("5", "10", "15", "20"));
}

TEST(SearchSpace, APointIsDrawnBySeedAndNumberAlone) {
  const search_space space = space_of({"l2=log:1e-8:1e-2", "step=0.1:2", "loss=a,b,c"});
  EXPECT_EQ(space.drawn_point(7, 3), space.drawn_point(7, 3));
  EXPECT_NE(space.drawn_point(7, 3), space.drawn_point(7, 4));
  EXPECT_NE(space.drawn_point(7, 3), space.drawn_point(8, 3));
}

TEST(SearchSpace, DrawnNumbersAreInTheRangeAndEvenOverIt) {
  const search_space space = space_of({"l2=log:1e-8:1e-2", "step=0.123456789:0.123456999"});
  constexpr std::size_t draws = 6000;
  std::map<int, std::size_t> decades;
  for (std::size_t k = 0; k < draws; ++k) {
    const configuration point = space.drawn_point(1, k);
    const double l2 = std::stod(point[0].text), step = std::stod(point[1].text);
    EXPECT_TRUE(l2 >= 1e-8 && l2 <= 1e-2) << point[0].text;
    EXPECT_TRUE(step >= 0.123456789 && step <= 0.123456999) << point[1].text;
    ++decades[static_cast<int>(std::floor(std::log10(l2) + 1e-9))];
  }
  // A sixth of the draws falls into each decade: 1000, with a deviation of 29. The seed is fixed.
  for (int decade = -8; decade < -2; ++decade)
    EXPECT_NEAR(static_cast<double>(decades[decade]), 1000.0, 150.0) << decade;
}

TEST(SearchSpace, EachWholeNumberIsDrawnAsOftenAsOthers) {
  const search_space space = space_of({"rank=3:6"});
  std::map<std::string, std::size_t> times;
  for (std::size_t k = 0; k < 4000; ++k) ++times[space.drawn_point(1, k)[0].text];
  EXPECT_EQ(times.size(), 4u);
  // 1000 each, with a deviation of 27.
  for (const char* const number : {"3", "4", "5", "6"}) EXPECT_NEAR(static_cast<double>(times[number]), 1000.0, 150.0);
}

std::string fault_of(const std::vector<std::string>& texts) {
  return test::refusal_of([&] { const search_space space = space_of(texts); }, "no fault");
}

TEST(SearchSpace, TellsWhatIsWrongWithIt) {
  EXPECT_THAT(fault_of({}), HasSubstr("the search has no space"));
  EXPECT_THAT(fault_of({"l2"}), HasSubstr("'l2' is no space"));
  EXPECT_THAT(fault_of({"l2="}), HasSubstr("has no values"));
  EXPECT_THAT(fault_of({"=1,2"}), HasSubstr("is not the name of an option"));
  EXPECT_THAT(fault_of({"--l2=1,2"}), HasSubstr("is not the name of an option"));
  EXPECT_THAT(fault_of({"l2=2:1"}), HasSubstr("is upside down: 2 is above 1"));
  EXPECT_THAT(fault_of({"l2=1:1"}), HasSubstr("has one value"));
  EXPECT_THAT(fault_of({"l2=log:0:1"}), HasSubstr("has no logarithm"));
  EXPECT_THAT(fault_of({"l2=log:-1:1"}), HasSubstr("has no logarithm"));
  EXPECT_THAT(fault_of({"l2=0:inf"}), HasSubstr("is no finite number"));
  EXPECT_THAT(fault_of({"l2=nan:1"}), HasSubstr("is no finite number"));
  EXPECT_THAT(fault_of({"l2=a:b"}), HasSubstr("'a' is no number"));
  EXPECT_THAT(fault_of({"l2=1:2:3:4"}), HasSubstr("it has 4 numbers"));
  EXPECT_THAT(fault_of({"l2=log:1"}), HasSubstr("it has 1 numbers"));
  EXPECT_THAT(fault_of({"l2=1:2:1"}), HasSubstr("has 1 points"));
  EXPECT_THAT(fault_of({"l2=1:2:-1"}), HasSubstr("is no number of points"));
  EXPECT_THAT(fault_of({"l2=1,2", "step=1,2", "l2=3,4"}), HasSubstr("the space of 'l2' is given twice"));
  EXPECT_THAT(fault_of({"l2=1,2,1"}), HasSubstr("has a value twice"));
  EXPECT_THAT(fault_of({"l2=1,,2"}), HasSubstr("has a value without a text"));
  EXPECT_THAT(fault_of({"epochs=1.5:3"}), HasSubstr("1.5 is none"));
  EXPECT_THAT(fault_of({"epochs=-1:3"}), HasSubstr("-1 is none"));
  EXPECT_THAT(fault_of({"epochs=1:3:7"}), HasSubstr("has too few numbers for 7 points"));
}

TEST(SearchSpace, OfAProgramIsCheckedTheSame) {
  EXPECT_THROW(search_space({{"l2", value_range{.low = 0.0, .high = std::numeric_limits<double>::infinity()}}}),
               config_error);
  EXPECT_THROW(search_space({{"l2", std::vector<std::string>{}}}), config_error);
}

TEST(SearchSpace, AGridNeedsPointsAndHasAnEnd) {
  EXPECT_THAT([] { (void)space_of({"l2=log:1e-8:1e-2"}).grid_points(); },
              testing::ThrowsMessage<config_error>(HasSubstr("as in 'l2=log:1e-08:0.01:5'")));
  EXPECT_THAT(
      [] {
        (void)space_of({"a=0:1:1000", "b=0:1:1000", "c=1,2"}).grid_points();
      },
      testing::ThrowsMessage<config_error>(HasSubstr("more than 1000000 points")));
  EXPECT_EQ(space_of({"a=0:1:1000", "b=0:1:1000"}).grid_points(), 1000000u);
}

}  // namespace
}  // namespace hogwild
