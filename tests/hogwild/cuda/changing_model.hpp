// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernel_family.hpp"

namespace hogwild::test {

/// A model whose every row changes every number by what it was before.
struct changing_model final : device::device_model {
  explicit changing_model(const device::device_arrays& on) : arrays(on) {}

  void begin(const round_plan&, double) override {}
  std::size_t room_for(std::size_t, std::size_t count) const override { return count; }
  device::kernel_launch train(std::size_t first, std::size_t count) override {
    return {.on_host = [this, first, count](std::size_t, std::size_t) {
      for (const std::span<float> values : arrays.values)
        for (std::size_t r = first; r < first + count; ++r)
          for (float& w : values) w = 0.99f * w + 1.0f / static_cast<float>(r + 3);
      *arrays.updates.data() += count;
    }};
  }
  std::uint64_t nonzeros(std::size_t, std::size_t count) const override { return count; }

  const device::device_arrays& arrays;
};

}  // namespace hogwild::test
