// SPDX-License-Identifier: Apache-2.0
// The source of the GPU's kernels of matrix factorisation, run thread by thread.
#include "support/simt.hpp"
//
#include "kernels/factor_rows.cu"

#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "factor_problem.hpp"
#include "support/on_fibers.hpp"

using namespace hogwild;

namespace {

struct factor_fibers : test::on_fibers<testing::TestWithParam<test::factor_training>> {};

TEST_P(factor_fibers, one_warp_gives_the_bits_of_the_host_form) {
  for (const update_kind update : {update_kind::lossy, update_kind::exact}) {
    for (const bool system_scope : {false, true}) {
      const std::uint64_t updates = test::expect_bits_of_host_form(
          test::factor_problem(random, 30, GetParam()),
          [&](device::factor_work& work) {
            work.update = update;
            work.system_scope = system_scope;
          },
          [](const auto&, const auto& work) { device::train_factor_rows(work, 0, 1); },
          [](const auto&, const auto& work) { return device::launch_factor_rows(work, nullptr); });
      EXPECT_EQ(updates, 30u);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(trainings, factor_fibers, testing::ValuesIn(test::factor_trainings));

// Each rating has a user and an item of its own, and changes their biases by half of its error, which is 1.
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
