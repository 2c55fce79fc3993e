// SPDX-License-Identifier: Apache-2.0
#include "turns.hpp"

#include <gtest/gtest.h>

#include <thread>

#include <hogwild/error.hpp>

namespace hogwild::bench {
namespace {

using namespace std::chrono_literals;

TEST(turns, everybody_runs_before_anybody_runs_again_and_another_one_begins) {
  std::string order;
  const std::vector<turn> turns{
      {"a", [&] { order += 'a'; }}, {"b", [&] { order += 'b'; }}, {"c", [&] { order += 'c'; }}};
  EXPECT_EQ(take_turns(turns, 4, {}), 4u);
  EXPECT_EQ(order, "abcbcacababc");
}

TEST(turns, a_budget_leaves_out_whole_rounds_but_never_the_first) {
  std::size_t runs = 0;
  const std::vector<turn> slow{{"slow", [&] { ++runs, std::this_thread::sleep_for(20ms); }}};
  EXPECT_EQ(take_turns(slow, 5, {.budget = 1ms}), 1u);
  EXPECT_EQ(runs, 1u);
  // After two rounds of 20 ms or more the third would end after 60 ms.
  runs = 0;
  EXPECT_LE(take_turns(slow, 100, {.budget = 59ms}), 2u);
  EXPECT_LE(runs, 2u);
}

TEST(turns, a_request_to_stop_ends_them_between_two_turns) {
  std::stop_source stop;
  std::size_t runs = 0;
  const std::vector<turn> turns{{"asks", [&] { ++runs, stop.request_stop(); }}, {"never", [&] { ++runs; }}};
  try {
    take_turns(turns, 1, {.stop = stop.get_token()});
    FAIL() << "it went on";
  } catch (const error& e) {
    EXPECT_EQ(e.code(), exit_code::interrupted);
  }
  EXPECT_EQ(runs, 1u);
}

TEST(turns, nobody_takes_no_turns) {
  EXPECT_EQ(take_turns({}, 3, {}), 3u);
}

}  // namespace
}  // namespace hogwild::bench
