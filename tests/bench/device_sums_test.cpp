// SPDX-License-Identifier: Apache-2.0
// The measurements of the benchmark of sums over devices, with a stand-in for NCCL.
#include "sums.hpp"

#include <chrono>
#include <cstddef>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/error.hpp>

#include "support/fake_nccl.hpp"

using namespace hogwild;
using namespace std::chrono_literals;

namespace {

bench::sum_seconds sums_over(std::size_t ranks, std::chrono::milliseconds timeout = 1min) {
  const auto open = [](std::size_t) { return device::open_emulated(1); };
  return bench::measure_sums(test::fake_nccl(), open, ranks, 1000, 0.001, timeout);
}

TEST(device_sums, are_measured_by_both_ways) {
  for (const std::size_t ranks : {2u, 3u}) {
    const bench::sum_seconds found = sums_over(ranks);
    EXPECT_EQ(found.ranks, ranks);
    EXPECT_EQ(found.floats, 1000u);
    EXPECT_GT(found.in_rank_order, 0.0);
    EXPECT_GT(found.by_nccl, 0.0);
    EXPECT_EQ(test::open_fake_communicators(), 0u);
  }
}

TEST(device_sums, of_a_rank_that_fails_end_with_what_it_says) {
  test::break_fake_nccl(test::nccl_fault::refused, 1, 5);
  try {
    sums_over(2, 200ms);
    ADD_FAILURE() << "nothing was refused";
  } catch (const error& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("NCCL failed to"));
  }
  test::break_fake_nccl(test::nccl_fault::none, 0);
  EXPECT_EQ(test::open_fake_communicators(), 0u);
}

}  // namespace
