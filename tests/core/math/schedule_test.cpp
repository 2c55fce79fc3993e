// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/math/schedule.hpp>

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

using namespace hogwild;

namespace {

TEST(step_schedule, has_the_step_of_its_formula_in_each_epoch) {
  const struct {
    const char* name;
    step_schedule schedule;
    std::vector<std::pair<std::size_t, double>> steps;  ///< by epoch
  } schedules[] = {{"constant", {schedule_kind::constant, 0.3, 0.5}, {{1, 0.3}, {1'000, 0.3}}},
                   {"geometric", {schedule_kind::geometric, 0.8, 0.5}, {{1, 0.8}, {2, 0.4}, {4, 0.1}}},
                   {"no decay", {schedule_kind::geometric, 0.8, 1.0}, {{50, 0.8}}},
                   {"inverse", {schedule_kind::inverse, 1.2, 0.5}, {{1, 1.2}, {2, 0.8}, {3, 0.6}, {5, 0.4}}},
                   {"cosine",
                    {schedule_kind::cosine, 0.8, 0.25, 5},
                    {{1, 0.8}, {2, 0.2 + 0.6 * 0.5 * (1.0 + std::sqrt(0.5))}, {3, 0.5}, {5, 0.2}, {9, 0.2}}},
                   {"cosine of one epoch", {schedule_kind::cosine, 0.8, 0.25, 1}, {{1, 0.8}}},
                   {"plateau, which is left to who measures", {schedule_kind::plateau, 0.8, 0.5}, {{7, 0.8}}},
                   {"warm-up rises evenly",
                    {schedule_kind::geometric, 0.8, 0.5, 6, 3},
                    {{1, 0.2}, {2, 0.4}, {3, 0.6}, {4, 0.8}, {5, 0.4}}},
                   {"warm-up and cosine", {schedule_kind::cosine, 1.0, 0.5, 4, 1}, {{1, 0.5}, {2, 1.0}, {4, 0.5}}}};
  for (const auto& [name, schedule, steps] : schedules)
    for (const auto& [epoch, step] : steps) EXPECT_DOUBLE_EQ(schedule.at(epoch), step) << name << ", epoch " << epoch;
}

TEST(step_schedule, at_the_end_of_an_epoch_is_between_those_of_two) {
  const step_schedule linear{schedule_kind::linear, 1.0, 0.25, 4, 1};
  EXPECT_DOUBLE_EQ(linear.at_end(1), 0.5);
  EXPECT_DOUBLE_EQ(linear.at_end(2), 0.75);
}

}  // namespace
