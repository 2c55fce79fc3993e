// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <gtest/gtest.h>

#include "support/fresh_seed.hpp"
#include "support/same_bits.hpp"
#include "support/simt.hpp"

namespace hogwild::test {

/// A fixture whose kernels run thread by thread, in a random order for each test.
template <class Fixture = testing::Test>
struct on_fibers : fresh_seed<Fixture> {
  void SetUp() override { simt::settings = {.seed = this->random()}; }
  void TearDown() override { simt::settings = {}; }
};

/// Trains a problem by the host form, host(problem, work), and a copy of it by the device form, launch(problem, work),
/// which returns CUDA's error code: both must leave the same bits. set(work) sets the options of each. Returns how many
/// rows have changed something.
template <class Problem, class Set, class Host, class Launch>
std::uint64_t expect_bits_of_host_form(Problem host, const Set& set, const Host& train, const Launch& launch) {
  Problem fibers = host;
  auto work = host.work(), device_work = fibers.work();
  std::uint64_t updates = 0, device_updates = 0;
  set(work), set(device_work);
  work.updates = &updates, device_work.updates = &device_updates;
  train(host, work);
  EXPECT_EQ(launch(fibers, device_work), 0);
  EXPECT_TRUE(same_bits(fibers.weights, host.weights));
  if constexpr (requires { host.sums; }) {
    EXPECT_TRUE(same_bits(fibers.sums, host.sums));
  }
  EXPECT_EQ(device_updates, updates);
  return updates;
}

}  // namespace hogwild::test
