// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/optimization/schedule.hpp>

#include <gtest/gtest.h>

using namespace hogwild;

namespace {

TEST(step_schedule, constant_ignores_the_decay) {
  const step_schedule s{schedule_kind::constant, 0.3, 0.5};
  EXPECT_EQ(s.at(1), 0.3);
  EXPECT_EQ(s.at(1'000), 0.3);
}

TEST(step_schedule, geometric_multiplies_once_an_epoch) {
  const step_schedule s{schedule_kind::geometric, 0.8, 0.5};
  EXPECT_DOUBLE_EQ(s.at(1), 0.8);
  EXPECT_DOUBLE_EQ(s.at(2), 0.4);
  EXPECT_DOUBLE_EQ(s.at(4), 0.1);
  EXPECT_EQ((step_schedule{schedule_kind::geometric, 0.8, 1.0}.at(50)), 0.8);
}

TEST(step_schedule, inverse_divides_by_one_more_decay_each_epoch) {
  const step_schedule s{schedule_kind::inverse, 1.2, 0.5};
  EXPECT_DOUBLE_EQ(s.at(1), 1.2);
  EXPECT_DOUBLE_EQ(s.at(2), 0.8);
  EXPECT_DOUBLE_EQ(s.at(3), 0.6);
  EXPECT_DOUBLE_EQ(s.at(5), 0.4);
}

}  // namespace
