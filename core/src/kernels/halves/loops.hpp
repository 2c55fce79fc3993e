// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <hogwild/detail/kernels/half_kernels.hpp>

#include "kernels/gathered_values.hpp"

// As in margin/loops.hpp, each instruction set's type belongs to its own file.

namespace hogwild::detail {

/// Isa has load(from) for halves and round(to, value), to nearest, and load_one(from).
template <class Isa>
struct half_loops {
  static void round(const float* from, std::size_t n, half* to) {
    std::size_t i = 0;
    for (; i + width <= n; i += width) Isa::round(to + i, loaded(from + i));
    if (i == n) return;
    float rest[width]{};
    half rounded[width];
    __builtin_memcpy(rest, from + i, (n - i) * sizeof(float));
    Isa::round(rounded, loaded(rest));
    __builtin_memcpy(to + i, rounded, (n - i) * sizeof(half));
  }

  static void gains(const half* now, const half* before, std::size_t n, float* gain) {
    std::size_t i = 0;
    for (; i + width <= n; i += width) {
      const floats8 difference = Isa::load(now + i) - Isa::load(before + i);
      __builtin_memcpy(gain + i, &difference, sizeof difference);
    }
    for (; i < n; ++i) gain[i] = Isa::load_one(now + i) - Isa::load_one(before + i);
  }

  static constexpr half_kernels table{&round, &gains};
};

}  // namespace hogwild::detail
