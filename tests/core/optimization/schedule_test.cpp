// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/optimization/schedule.hpp>

#include <cmath>

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

TEST(step_schedule, cosine_comes_down_with_the_last_epoch) {
  const step_schedule s{schedule_kind::cosine, 0.8, 0.25, 5};
  EXPECT_DOUBLE_EQ(s.at(1), 0.8);
  EXPECT_DOUBLE_EQ(s.at(2), 0.2 + 0.6 * 0.5 * (1.0 + std::sqrt(0.5)));
  EXPECT_DOUBLE_EQ(s.at(3), 0.5);
  EXPECT_DOUBLE_EQ(s.at(5), 0.2);
  EXPECT_DOUBLE_EQ(s.at(9), 0.2);
  EXPECT_DOUBLE_EQ((step_schedule{schedule_kind::cosine, 0.8, 0.25, 1}.at(1)), 0.8);
}

TEST(step_schedule, plateau_is_left_to_who_measures) {
  EXPECT_EQ((step_schedule{schedule_kind::plateau, 0.8, 0.5}.at(7)), 0.8);
}

TEST(step_schedule, warm_up_rises_evenly_and_the_rest_begins_after_it) {
  const step_schedule s{schedule_kind::geometric, 0.8, 0.5, 6, 3};
  EXPECT_DOUBLE_EQ(s.at(1), 0.2);
  EXPECT_DOUBLE_EQ(s.at(2), 0.4);
  EXPECT_DOUBLE_EQ(s.at(3), 0.6);
  EXPECT_DOUBLE_EQ(s.at(4), 0.8);
  EXPECT_DOUBLE_EQ(s.at(5), 0.4);
  const step_schedule cosine{schedule_kind::cosine, 1.0, 0.5, 4, 1};
  EXPECT_DOUBLE_EQ(cosine.at(1), 0.5);
  EXPECT_DOUBLE_EQ(cosine.at(2), 1.0);
  EXPECT_DOUBLE_EQ(cosine.at(4), 0.5);
  const step_schedule linear{schedule_kind::linear, 1.0, 0.25, 4, 1};
  EXPECT_DOUBLE_EQ(linear.at_end(1), 0.5);
  EXPECT_DOUBLE_EQ(linear.at_end(2), 0.75);
}

}  // namespace
