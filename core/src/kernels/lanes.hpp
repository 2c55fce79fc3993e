// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "kernels/vectors.hpp"

namespace hogwild::detail {

/// What loops over runs of floats do with one vector. Isa is the type of the including file's instruction set, so that
/// no two files have a function in common; Floats is the vector that it processes at once.
template <class Isa, class Floats>
struct lanes_of {
  using floats = Floats;
  static constexpr std::size_t lane_count = sizeof(floats) / sizeof(float);

  static floats loaded(const float* from) { return detail::loaded<floats>(from); }
  static void store(float* to, floats value) { __builtin_memcpy(to, &value, sizeof value); }
  static floats splat(float x) { return floats{} + x; }
  /// The sum of a vector's floats.
  static float total(floats a) {
    const floats4 four = quarter(a), two = four + __builtin_shufflevector(four, four, 2, 3, 2, 3);
    return two[0] + two[1];
  }
};

}  // namespace hogwild::detail
