// SPDX-License-Identifier: Apache-2.0
// The sources of the GPU's kernels of factors in half storage, run thread by thread.
#include "support/simt.hpp"
//
#include "kernels/half_copies.cu"
#include "kernels/half_factor_rows.cu"

#include <cstring>
#include <random>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "factor_problem.hpp"
#include "support/on_fibers.hpp"

using namespace hogwild;

namespace {

struct half_factor_fibers : test::on_fibers<testing::TestWithParam<test::factor_training>> {};

TEST_P(half_factor_fibers, one_warp_gives_the_bits_of_the_host_form) {
  test::half_factor_problem host(random, 30, GetParam());
  test::half_factor_problem fibers = host;
  device::factor_work work = host.work(), device_work = fibers.work();
  std::uint64_t updates = 0, device_updates = 0;
  work.updates = &updates;
  device_work.updates = &device_updates;
  const std::vector<device::half_pair> before = host.halves;
  device::train_factor_rows(work, 0, 1);
  EXPECT_EQ(device::launch_half_factor_rows(device_work, nullptr), 0);
  EXPECT_NE(host.halves, before);
  EXPECT_EQ(fibers.halves, host.halves);
  EXPECT_EQ(
      std::memcmp(fibers.floats.weights.data(), host.floats.weights.data(), host.floats.weights.size() * sizeof(float)),
      0);
  EXPECT_EQ(device_updates, updates);
  EXPECT_EQ(updates, 30u);
}

INSTANTIATE_TEST_SUITE_P(trainings, half_factor_fibers, testing::ValuesIn(test::half_factor_trainings));

using half_copy_fibers = test::on_fibers<>;

TEST_F(half_copy_fibers, of_any_number_of_warps_give_the_bits_of_the_host_form) {
  std::normal_distribution<float> normal;
  for (const std::uint32_t warps : {1u, 3u, 40u}) {
    for (const std::size_t pairs : {1u, 31u, 33u, 500u}) {
      std::vector<float> values(2 * pairs + 1);
      for (float& x : values) x = normal(random);
      std::vector<float> on_device = values;
      std::vector<device::half_pair> halves(pairs + 1), device_halves(pairs + 1);
      const device::half_copy_work work{.values = values.data(), .halves = halves.data(), .pairs = pairs};
      const device::half_copy_work device_work{
          .values = on_device.data(), .halves = device_halves.data(), .pairs = pairs, .rows_in_flight = warps};
      device::round_to_halves(work, 0, 1);
      EXPECT_EQ(device::launch_round_to_halves(device_work, nullptr), 0);
      EXPECT_EQ(device_halves, halves);
      EXPECT_NE(halves[0], device::half_pair{});
      EXPECT_EQ(halves[pairs], device::half_pair{});
      for (std::size_t k = 0; k < pairs; ++k)
        halves[k] = device_halves[k] = device::to_half_pair(normal(random), normal(random));
      const std::vector<float> before = values;
      device::add_gains_of_halves(work, 0, 1);
      EXPECT_EQ(device::launch_add_gains_of_halves(device_work, nullptr), 0);
      EXPECT_EQ(on_device, values);
      EXPECT_NE(values[0], before[0]);
      EXPECT_EQ(values[2 * pairs], before[2 * pairs]);
    }
  }
}

TEST(half_factor_launches, that_no_kernel_does_are_refused) {
  std::mt19937_64 random(1);
  test::half_factor_problem one(random, 1, {.width = 16});
  device::factor_work work = one.work();
  work.system_scope = true;
  EXPECT_THROW(device::launch_half_factor_rows(work, nullptr), std::invalid_argument);
  work = one.work();
  work.update = update_kind::exact;
  EXPECT_THROW(device::launch_half_factor_rows(work, nullptr), std::invalid_argument);
  work = one.work();
  work.rows_in_flight = 0;
  EXPECT_THROW(device::launch_half_factor_rows(work, nullptr), std::invalid_argument);
}

}  // namespace
