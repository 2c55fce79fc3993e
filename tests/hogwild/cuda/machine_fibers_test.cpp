// SPDX-License-Identifier: Apache-2.0
// The source of the GPU's kernels of factorization machines, run thread by thread.
#include "support/simt.hpp"
//
#include "kernels/machine_rows.cu"

#include <cstring>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "machine_problem.hpp"

using namespace hogwild;

namespace {

template <class Row>
struct machine_fibers : testing::Test {
  std::uint64_t seed = std::random_device{}();
  std::mt19937_64 random{seed};
  testing::ScopedTrace trace{__FILE__, __LINE__, "seed " + std::to_string(seed)};

  void SetUp() override { simt::settings = {.seed = random()}; }
  void TearDown() override { simt::settings = {}; }
};
using machine_fiber_rows = testing::Types<test::row_kind<std::uint32_t, float>, test::row_kind<std::uint16_t, half>>;
TYPED_TEST_SUITE(machine_fibers, machine_fiber_rows);

TYPED_TEST(machine_fibers, one_warp_gives_the_bits_of_the_host_form) {
  for (const bool adagrad : {false, true}) {
    for (const update_kind update : {update_kind::lossy, update_kind::exact}) {
      for (const std::uint32_t width : {8u, 16u, 40u}) {
        test::machine_problem<typename TypeParam::index, typename TypeParam::value> host(
            this->random, test::row_lengths(this->random, 12), {.width = width, .adagrad = adagrad, .l2_rows = 0.5});
        auto fibers = host;
        device::general_work work = host.work(), device_work = fibers.work();
        std::uint64_t updates = 0, device_updates = 0;
        work.updates = &updates;
        device_work.updates = &device_updates;
        work.update = device_work.update = update;
        device_work.system_scope = width == 8;
        device::train_machine_rows(work, host.model, 0, 1);
        EXPECT_EQ(device::launch_machine_rows(device_work, fibers.model, nullptr), 0);
        const std::size_t bytes = host.weights.size() * sizeof(float);
        EXPECT_EQ(std::memcmp(host.weights.data(), fibers.weights.data(), bytes), 0);
        EXPECT_EQ(std::memcmp(host.sums.data(), fibers.sums.data(), bytes), 0);
        EXPECT_EQ(device_updates, updates);
        EXPECT_GT(updates, 0u);
      }
    }
  }
}

}  // namespace
