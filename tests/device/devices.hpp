// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include <hogwild/cuda/engine.hpp>
#include <hogwild/error.hpp>

#include "device_task.hpp"
#include "runtime.hpp"

namespace hogwild::test {

/// Skips a test for lack of a device; fails it if the environment sets HOGWILD_DEVICE_EXPECTED.
inline void go_without_device(const resource_error& why) {
  if (std::getenv("HOGWILD_DEVICE_EXPECTED") != nullptr) FAIL() << "a device is expected: " << why.what();
  GTEST_SKIP() << why.what();
}

/// A test for each device: the emulated one, and the first real one, where the machine has one.
struct each_device : testing::TestWithParam<int> {
  void SetUp() override {
    try {
      device = device::open_device(GetParam());
    } catch (const resource_error& none) {
      go_without_device(none);
    }
  }
  std::unique_ptr<device::runtime> device;
};

inline auto all_devices() {
  return testing::Values(emulated_device, 0);
}
inline std::string device_of(const testing::TestParamInfo<int>& info) {
  return info.param == emulated_device ? "emulated" : "device_" + std::to_string(info.param);
}

}  // namespace hogwild::test
