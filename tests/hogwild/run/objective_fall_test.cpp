// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/objective_fall.hpp>

#include <gtest/gtest.h>

using namespace hogwild;

namespace {

// Quarters and whole numbers, so that the sums below are exact.
constexpr double shifts[] = {-20.0, 0.0, 20.0, 1024.0};

TEST(objective_fall, gives_back_a_fraction_of_what_was_gained) {
  for (const double c : shifts) {
    const objective_fall fall{c + 8.0};
    EXPECT_EQ(fall.down_to(c + 4.0), 4.0);
    EXPECT_EQ(fall.down_to(c + 9.0), 0.0);
    EXPECT_FALSE(fall.given_back(c + 4.0, c + 5.0, 0.25));
    EXPECT_TRUE(fall.given_back(c + 4.0, c + 5.25, 0.25));
    EXPECT_FALSE(fall.given_back(c + 8.0, c + 8.0, 0.25));
    EXPECT_TRUE(fall.given_back(c + 8.0, c + 8.25, 0.25)) << "before anything was gained";
  }
}

TEST(objective_fall, is_flat_by_a_fraction_of_what_was_gained_with_it) {
  for (const double c : shifts) {
    const objective_fall fall{c + 8.0};
    EXPECT_TRUE(fall.flat(c + 4.5, c + 4.0, 0.125));
    EXPECT_FALSE(fall.flat(c + 4.75, c + 4.0, 0.125));
    EXPECT_TRUE(fall.flat(c + 4.0, c + 4.25, 0.125)) << "what rises";
    EXPECT_TRUE(fall.flat(c + 8.0, c + 8.0, 0.125)) << "what never fell";
    EXPECT_FALSE(fall.flat(HUGE_VAL, c + 8.0, 0.125)) << "a first epoch";
  }
}

TEST(objective_fall, what_is_no_number_is_worse_than_any) {
  const objective_fall fall{8.0};
  EXPECT_TRUE(fall.given_back(4.0, NAN, 0.25));
  EXPECT_TRUE(fall.given_back(4.0, HUGE_VAL, 0.25));
}

TEST(objective_fall, from_nowhere_nothing_is_gained) {
  for (const double start : {HUGE_VAL, static_cast<double>(NAN)}) {
    const objective_fall unknown{start};
    EXPECT_EQ(unknown.down_to(1.0), 0.0);
    EXPECT_FALSE(unknown.given_back(4.0, 4.0, 0.25));
    EXPECT_TRUE(unknown.given_back(4.0, 4.25, 0.25));
  }
}

}  // namespace
