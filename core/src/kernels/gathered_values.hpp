// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "kernels/vectors.hpp"

namespace hogwild::detail {

/// The number of floats of floats8.
inline constexpr std::size_t width = 8;

/// One load an entry, which is faster than a gather instruction on AMD's CPUs.
template <class Index>
static inline floats8 gathered(const float* w, const Index* index) {
  return floats8{w[index[0]], w[index[1]], w[index[2]], w[index[3]],
                 w[index[4]], w[index[5]], w[index[6]], w[index[7]]};
}

namespace {  // each file that includes this has its own copy

/// Reads several entries at once, for instruction sets without a better way.
struct gathered_values {
  using entries_at_once = floats8;

  template <class Index>
  static floats8 gather(const float* w, const Index* index) {
    return gathered(w, index);
  }
};

}  // namespace

/// sum + products, eight at a time.
[[maybe_unused]] static inline floats8 added(floats8 sum, floats8 products) {
  return sum + products;
}
[[maybe_unused]] static inline floats8 added(floats8 sum, floats16 products) {
  floats8 halves[2];
  __builtin_memcpy(halves, &products, sizeof products);
  return (sum + halves[0]) + halves[1];
}

}  // namespace hogwild::detail
