// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace hogwild::detail {

/// Reads parameters that nobody writes any more, and that must outlive it.
template <class T = float>
struct quiet_reader {
  using value_type = T;
  struct run : std::span<const T> {
    explicit run(std::span<const T> all) : std::span<const T>(all) {}
    void copy_to(std::span<T> out) const { std::ranges::copy(*this, out.begin()); }
  };
  std::span<const T> w;
  std::size_t size() const { return w.size(); }
  T operator[](std::size_t j) const { return w[j]; }
  run block(std::size_t offset, std::size_t n) const { return run(w.subspan(offset, n)); }
};

}  // namespace hogwild::detail
