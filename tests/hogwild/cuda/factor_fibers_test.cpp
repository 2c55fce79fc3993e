// SPDX-License-Identifier: Apache-2.0
// The source of the GPU's kernels of matrix factorisation, run thread by thread.
#include "support/simt.hpp"
//
#include "kernels/factor_rows.cu"

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "factor_problem.hpp"

using namespace hogwild;

namespace {

bool have_same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

struct factor_fibers : testing::TestWithParam<test::factor_training> {
  std::uint64_t seed = std::random_device{}();
  std::mt19937_64 random{seed};
  testing::ScopedTrace trace{__FILE__, __LINE__, "seed " + std::to_string(seed)};

  void SetUp() override { simt::settings = {.seed = random()}; }
  void TearDown() override { simt::settings = {}; }
};

TEST_P(factor_fibers, one_warp_gives_the_bits_of_the_host_form) {
  for (const update_kind update : {update_kind::lossy, update_kind::exact}) {
    for (const bool system_scope : {false, true}) {
      test::factor_problem host(random, 30, GetParam());
      test::factor_problem fibers = host;
      device::factor_work work = host.work(), device_work = fibers.work();
      std::uint64_t updates = 0, device_updates = 0;
      work.updates = &updates;
      device_work.updates = &device_updates;
      work.update = device_work.update = update;
      device_work.system_scope = system_scope;
      device::train_factor_rows(work, 0, 1);
      EXPECT_EQ(device::launch_factor_rows(device_work, nullptr), 0);
      EXPECT_TRUE(have_same_bits(fibers.weights, host.weights));
      EXPECT_TRUE(have_same_bits(fibers.sums, host.sums));
      EXPECT_EQ(device_updates, updates);
      EXPECT_EQ(updates, 30u);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(trainings, factor_fibers, testing::ValuesIn(test::factor_trainings));

// Each rating is of a user and an item of its own, whose bias it changes by half of what the score is off, 1 here.
TEST(factor_fiber_launches, of_any_number_of_warps_train_each_rating_once) {
  constexpr std::uint32_t ratings = 100, first = 10;
  for (const std::uint32_t in_flight : {1u, 7u, 100u, 600u, 2051u}) {
    std::vector<rating> list;
    for (std::uint32_t r = 0; r < ratings; ++r) list.push_back({r, r, 1.0f});
    std::vector<float> weights(2 * ratings * 17);
    std::uint64_t updates = 0;
    const device::factor_work work{.ratings = list.data(),
                                   .first = first,
                                   .count = ratings - first,
                                   .weights = weights.data(),
                                   .users = ratings,
                                   .columns = 2 * ratings,
                                   .width = 16,
                                   .bias = true,
                                   .step = 0.5f,
                                   .update = update_kind::exact,
                                   .rows_in_flight = in_flight,
                                   .updates = &updates};
    device::launch_factor_rows(work, nullptr);
    std::vector<float> expected(weights.size());
    for (std::uint32_t r = first; r < ratings; ++r)
      expected[2 * ratings * 16 + r] = expected[2 * ratings * 16 + ratings + r] = 0.5f;
    EXPECT_EQ(weights, expected) << in_flight;
    EXPECT_EQ(updates, ratings - first) << in_flight;
  }
}

TEST(factor_fiber_launches, that_no_kernel_does_are_refused) {
  std::mt19937_64 random(1);
  test::factor_problem one(random, 1, {.width = 16});
  device::factor_work work = one.work();
  work.update = update_kind::locked;
  EXPECT_THROW(device::launch_factor_rows(work, nullptr), std::invalid_argument);
  work = one.work();
  work.rows_in_flight = 0;
  EXPECT_THROW(device::launch_factor_rows(work, nullptr), std::invalid_argument);
}

}  // namespace
