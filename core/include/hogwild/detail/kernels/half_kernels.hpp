// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <hogwild/detail/data/half.hpp>
#include <hogwild/detail/platform/isa.hpp>

namespace hogwild {

/// Operations on runs of numbers that are stored as halves. All instruction sets give the same bits.
struct half_kernels {
  /// to[i] = to_half(from[i]).
  void (*round)(const float* from, std::size_t n, half* to);
  /// gain[i] = to_float(now[i]) - to_float(before[i]) as a float. Exact for finite halves whose exponents (at least
  /// -14) differ by at most 13, as for all below 1; otherwise the relative error is at most 2^-24.
  void (*gains)(const half* now, const half* before, std::size_t n, float* gain);
};

/// The kernels of an instruction set that has_isa() knows; `set` is not automatic.
const half_kernels& half_kernels_of(isa set);

}  // namespace hogwild
