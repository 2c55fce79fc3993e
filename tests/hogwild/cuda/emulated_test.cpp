// SPDX-License-Identifier: Apache-2.0
// The queue of the emulated device.
#include "runtime.hpp"

#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

using namespace hogwild;
using namespace hogwild::device;

namespace {

/// Adds 1 to a number, once whatever the number of threads.
kernel_launch add_one(float* to) {
  return {.warps = 2, .on_host = [to](std::size_t part, std::size_t) {
            if (part == 0) *to += 1.0f;
          }};
}

TEST(emulated_device_queue, does_everything_in_order) {
  const auto device = open_emulated(2);
  const buffer<float> number(*device, 1);
  std::vector<float> seen(100, -1.0f);
  device->zero(number.data(), sizeof(float));
  for (float& x : seen) {
    device->run(add_one(number.data()));
    device->download(&x, number.data(), sizeof x);
  }
  device->wait(device->mark());
  for (std::size_t i = 0; i < seen.size(); ++i) ASSERT_EQ(seen[i], static_cast<float>(i + 1));
  const float given = 7.0f;
  float back = 0.0f;
  device->upload(number.data(), &given, sizeof given);
  device->download(&back, number.data(), sizeof back);
  device->wait(device->mark());
  EXPECT_EQ(back, 7.0f);
}

TEST(emulated_device_queue, runs_at_most_as_many_parts_as_there_are_warps_and_threads) {
  const auto device = open_emulated(3);
  for (const std::uint32_t warps : {1u, 2u, 3u, 100u}) {
    std::vector<std::size_t> ran(4, 0);
    device->run({.warps = warps, .on_host = [&](std::size_t part, std::size_t parts) { ran.at(part) = parts; }});
    device->wait(device->mark());
    for (std::size_t part = 0; part < ran.size(); ++part) {
      const std::size_t parts = warps < 3 ? warps : 3;
      EXPECT_EQ(ran[part], part < parts ? parts : 0) << warps << " warps";
    }
  }
}

TEST(emulated_device_queue, keeps_a_failure_for_whoever_waits_and_does_nothing_after_it) {
  const auto device = open_emulated(2);
  const buffer<float> number(*device, 1);
  float after = 0.0f;
  device->zero(number.data(), sizeof(float));
  device->wait(device->mark());
  device->run({.on_host = [](std::size_t, std::size_t) { throw std::domain_error("a kernel fails"); }});
  device->run(add_one(number.data()));
  device->download(&after, number.data(), sizeof after);
  EXPECT_THROW(device->wait(device->mark()), std::domain_error);
  EXPECT_EQ(after, 0.0f);
}

TEST(emulated_device_queue, ends_while_much_is_queued) {
  for (int i = 0; i < 20; ++i) {
    const auto device = open_emulated(2);
    const buffer<float> number(*device, 1);
    device->zero(number.data(), sizeof(float));
    for (int k = 0; k < 1000; ++k) device->run(add_one(number.data()));
  }
}

}  // namespace
