// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/choose.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace hogwild;
using testing::HasSubstr;

namespace {

/// A text: 75 entries a row, gentle curvature.
constexpr turn_facts text{.rows = 180'000, .nonzeros = 13'500'000, .step = 0.5, .curvature = 0.008};
/// 14 entries a row out of 120 columns: steep.
constexpr turn_facts narrow{.rows = 30'000, .nonzeros = 420'000, .step = 0.02, .curvature = 1.55};

TEST(virtual_workers, are_four_where_turns_are_long_and_two_where_they_cannot_be) {
  EXPECT_EQ(choose_turns(text).exchange.workers, 4u);
  EXPECT_EQ(choose_turns(narrow).exchange.workers, 2u);
  EXPECT_THAT(choose_turns(text).reason, HasSubstr("4 virtual workers"));
}

TEST(virtual_workers, are_as_many_as_asked_for) {
  for (const std::size_t asked : {1u, 2u, 3u, 8u, 32u}) {
    for (turn_facts facts : {text, narrow}) {
      facts.asked = asked;
      EXPECT_EQ(choose_turns(facts).exchange.workers, asked);
      EXPECT_EQ(choose_turns(facts).exchange.gain_weight, 1.0);
    }
  }
}

TEST(virtual_workers, train_no_longer_in_a_turn_than_keeps_summed_gains_stable) {
  for (const std::size_t asked : {3u, 4u, 8u, 32u}) {
    for (turn_facts facts : {text, narrow}) {
      for (const double step : {0.001, 0.02, 0.5, 4.0, 1e6}) {
        facts.asked = asked;
        facts.step = step;
        const auto rows = static_cast<double>(choose_turns(facts).exchange.rows);
        EXPECT_GE(rows, 1.0);
        EXPECT_LE(rows, longest_exchange(step, facts.curvature, asked));
        EXPECT_LE(rows, 512.0);
      }
    }
  }
}

TEST(virtual_workers, take_a_turn_for_a_step_where_the_data_do_not_tell_the_curvature) {
  turn_facts facts{.rows = 60'000, .nonzeros = 9'000'000, .step = 0.01, .batch = 64};
  EXPECT_EQ(choose_turns(facts).exchange.rows, 64u);
  facts.batch = 1;
  EXPECT_EQ(choose_turns(facts).exchange.rows, 16u);
  facts.batch = 6;
  EXPECT_EQ(choose_turns(facts).exchange.rows, 18u) << "whole steps";
}

TEST(virtual_workers, meet_at_least_eight_times_an_epoch_where_there_are_rows_for_it) {
  for (const std::size_t rows : {64u, 1000u, 5000u}) {
    const auto exchange = choose_turns({.rows = rows, .nonzeros = 10 * rows, .step = 1e-9, .curvature = 1.0}).exchange;
    EXPECT_GE(rows / (exchange.rows * exchange.workers), 8u);
  }
  EXPECT_EQ(choose_turns({.rows = 1, .nonzeros = 1, .step = 1.0, .curvature = 1.0}).exchange.rows, 1u);
}

}  // namespace
