// SPDX-License-Identifier: Apache-2.0
#include "poll_pacer.hpp"

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include <hogwild/detail/platform/machine.hpp>

using namespace hogwild;
using namespace std::chrono_literals;
using std::chrono::steady_clock;

namespace {

void use_cpu(std::chrono::nanoseconds time) {
  for (const auto end = thread_cpu_time() + time; thread_cpu_time() < end;) {
  }
}

TEST(poll_pacer, naps_longer_where_a_look_is_dearer) {
  detail::poll_pacer pace;
  use_cpu(2ms);
  const auto begin = steady_clock::now();
  pace.nap();
  EXPECT_GE(steady_clock::now() - begin, 500us);  // a quarter of its wait
}

TEST(poll_pacer, naps_after_a_look_that_took_nothing) {
  detail::poll_pacer pace;
  const auto begin = steady_clock::now();
  pace.nap();
  EXPECT_GE(steady_clock::now() - begin, detail::poll_pacer::shortest);
}

TEST(cpu_gauge, sees_time_without_a_cpu) {
  const detail::cpu_gauge gauge;
  std::this_thread::sleep_for(2ms);
  EXPECT_TRUE(gauge.is_crowded());
}

}  // namespace
