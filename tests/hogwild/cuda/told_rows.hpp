// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <hogwild/models/logistic.hpp>

#include "forwarding_device.hpp"

namespace hogwild::test {

/// A model that counts the rows trained by kernels of a device_that_tells, and those trained by CPU workers.
struct told_rows : logistic {
  static constexpr std::string_view name = "told_rows";
  static inline std::atomic<std::uint64_t> by_kernels{0}, by_workers{0};
  static inline thread_local bool in_kernel = false;

  float derivative(float margin, float label) const {
    ++(in_kernel ? by_kernels : by_workers);
    return logistic::derivative(margin, label);
  }
};

/// The emulated device, which tells that model when its kernels run. It is opened after a run was planned, and then
/// forgets the rows of planning and of earlier runs.
class device_that_tells final : public forwarding_device {
 public:
  device_that_tells() : forwarding_device(device::open_emulated(2)) {
    told_rows::by_kernels = told_rows::by_workers = 0;
  }
  void run(const device::kernel_launch& launch) override {
    device::kernel_launch told = launch;
    told.on_host = [inner = launch.on_host](std::size_t part, std::size_t parts) {
      told_rows::in_kernel = true;
      inner(part, parts);
      told_rows::in_kernel = false;
    };
    forwarding_device::run(told);
  }
};

}  // namespace hogwild::test
