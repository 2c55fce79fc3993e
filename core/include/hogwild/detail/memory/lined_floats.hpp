// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace hogwild {

/// Floats that begin on a cache line; zeros at first.
class lined_floats {
 public:
  explicit lined_floats(std::size_t size = 0) : lines_(size / 16 + 1) {}
  float* data() { return lines_.front().x; }
  const float* data() const { return lines_.front().x; }
  std::span<float> part(std::size_t begin, std::size_t size) { return {data() + begin, size}; }

 private:
  struct alignas(64) line {
    float x[16];
  };
  std::vector<line> lines_;
};

}  // namespace hogwild
