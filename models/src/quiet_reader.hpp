// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace hogwild::detail {

/// Reads parameters that nobody writes any more, which must outlive it.
struct quiet_reader {
  struct run : std::span<const float> {
    explicit run(std::span<const float> all) : span(all) {}
    void copy_to(std::span<float> out) const { std::ranges::copy(*this, out.begin()); }
  };
  std::span<const float> w;
  float operator[](std::size_t j) const { return w[j]; }
  run block(std::size_t offset, std::size_t n) const { return run(w.subspan(offset, n)); }
};

}  // namespace hogwild::detail
