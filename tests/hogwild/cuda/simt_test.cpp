// SPDX-License-Identifier: Apache-2.0
// The fibers that run kernels: they meet, and a missed meeting is found.
#include "support/simt.hpp"
#include "support/refusal.hpp"

#include <functional>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace hogwild;

namespace {

/// The error of a launch of two warps with this kernel.
std::string failure_of_launch(const std::function<void()>& kernel) {
  return test::refusal_of<std::logic_error>([&] { simt::launch(1, 64, kernel); }, "");
}

TEST(simt_threads, all_that_meet_go_on) {
  unsigned ended = 0;
  EXPECT_EQ(failure_of_launch([&] {
              __syncwarp();
              const unsigned sum = threadIdx.x + __shfl_xor_sync(0xffffffffu, threadIdx.x, 1);
              __syncthreads();
              ended += sum == threadIdx.x / 2 * 4 + 1;
            }),
            "");
  EXPECT_EQ(ended, 64u);
}

TEST(simt_threads, a_lane_that_misses_a_meeting_is_an_error) {
  EXPECT_EQ(failure_of_launch([] {
              if (threadIdx.x != 7) __syncwarp();
            }),
            "31 threads of block 0 wait for others that do not come");
  EXPECT_EQ(failure_of_launch([] {
              if (threadIdx.x != 39) (void)__shfl_xor_sync(0xffffffffu, 1.0f, 16);
            }),
            "31 threads of block 0 wait for others that do not come");
  EXPECT_EQ(failure_of_launch([] {
              if (threadIdx.x >= 32) __syncthreads();
            }),
            "32 threads of block 0 wait for others that do not come");
}

TEST(simt_threads, lanes_that_wait_at_different_places_are_an_error) {
  EXPECT_THAT(failure_of_launch([] {
                if (threadIdx.x % 2 == 0)
                  __syncwarp();
                else
                  (void)__shfl_xor_sync(0xffffffffu, 1.0f, 16);
              }),
              testing::MatchesRegex("thread [0-9]+ comes to __[a-z_]+ while others wait at __[a-z_]+"));
}

TEST(simt_threads, what_a_thread_throws_arrives) {
  EXPECT_EQ(failure_of_launch([] {
              if (threadIdx.x == 40) throw std::logic_error("fortieth");
              __syncthreads();
            }),
            "fortieth");
}

}  // namespace
