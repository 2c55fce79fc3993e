// SPDX-License-Identifier: Apache-2.0
// The source of the GPU's kernel by which replicas meet, run thread by thread.
#include "support/simt.hpp"
//
#include "kernels/replica_meeting.cu"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "support/on_fibers.hpp"

using namespace hogwild;

namespace {

struct meeting_fibers : test::on_fibers<> {
  struct arrays {
    std::vector<float> shared, work, base;

    device::replica_meeting meeting() {
      return {.shared = shared.data(), .work = work.data(), .base = base.data(), .count = work.size()};
    }
  };

  /// A state as after some rows: changes by others, and gains. Some of either are 0.
  template <class Draw>
  arrays drawn(std::size_t n, const Draw& draw) {
    arrays a;
    for (std::size_t j = 0; j < n; ++j) {
      a.base.push_back(draw());
      a.work.push_back(a.base[j] + (random() % 4 == 0 ? 0.0f : draw()));
      a.shared.push_back(a.base[j] + (random() % 4 == 0 ? 0.0f : draw()));
    }
    return a;
  }

  /// Calls f(meeting, set) for every kind of meeting.
  template <class F>
  void for_all(const F& f) {
    for (const update_kind update : {update_kind::lossy, update_kind::exact})
      for (const auto kind : {device::meeting_kind::fetch, device::meeting_kind::exchange, device::meeting_kind::send})
        for (const std::uint32_t warps : {1u, 3u, 9u})
          f([&](device::replica_meeting work) {
            work.gain_weight = 0.5f;
            work.kind = kind;
            work.update = update;
            work.rows_in_flight = warps;
            return work;
          });
  }
};

// Sums of such numbers are exact.
TEST_F(meeting_fibers, do_what_param_view_does) {
  for (const std::size_t n : {1u, 31u, 32u, 300u}) {
    for_all([&](const auto& told) {
      arrays host = drawn(n, [this] { return static_cast<float>(static_cast<int>(random() % 2001) - 1000) / 4.0f; });
      arrays fibers = host;
      device::meet_replica(told(host.meeting()), 0, 1);
      ASSERT_EQ(device::launch_replica_meeting(told(fibers.meeting()), nullptr), 0);
      EXPECT_TRUE(test::same_bits(fibers.shared, host.shared));
      EXPECT_TRUE(test::same_bits(fibers.work, host.work));
      EXPECT_TRUE(test::same_bits(fibers.base, host.base));
    });
  }
}

TEST_F(meeting_fibers, round_by_a_last_bit_otherwise) {
  std::normal_distribution<float> normal;
  for_all([&](const auto& told) {
    arrays host = drawn(200, [&] { return normal(random); });
    arrays fibers = host;
    device::meet_replica(told(host.meeting()), 0, 1);
    ASSERT_EQ(device::launch_replica_meeting(told(fibers.meeting()), nullptr), 0);
    for (std::size_t j = 0; j < host.work.size(); ++j) {
      EXPECT_NEAR(fibers.shared[j], host.shared[j], 1e-6f * (1.0f + std::abs(host.shared[j])));
      EXPECT_NEAR(fibers.work[j], host.work[j], 1e-6f * (1.0f + std::abs(host.work[j])));
    }
  });
}

TEST_F(meeting_fibers, of_nothing_do_nothing_and_know_no_locks) {
  EXPECT_EQ(device::launch_replica_meeting({}, nullptr), 0);
  device::meet_replica({}, 0, 1);
  EXPECT_THROW(device::launch_replica_meeting({.count = 1, .update = update_kind::locked}, nullptr),
               std::invalid_argument);
  EXPECT_THROW(device::meet_replica({.count = 1, .update = update_kind::locked}, 0, 1), std::invalid_argument);
}

}  // namespace
