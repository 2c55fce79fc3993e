// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace hogwild::detail {

/// Rounds floats to the pairs of bf16_kernels. Isa is the type of the including file's instruction set, so that no two
/// files have a function in common.
template <class Isa>
struct embedding_rounding {
  /// A bfloat16 in the lower half: to nearest, of two the even one; what is no number stays none.
  static std::uint32_t rounded(float x) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    const std::uint32_t none = bits >> 16 | 0x40u, number = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
    return (bits & 0x7fffffffu) > 0x7f800000u ? none : number;
  }
  static float pair(float first, float second) { return std::bit_cast<float>(rounded(first) | rounded(second) << 16); }

  static void pairs_of_row(const float* row, std::size_t n, float* to) {
    for (std::size_t k = 0; k < n / 2; ++k) to[k] = pair(row[2 * k], row[2 * k + 1]);
  }
  static void pairs_of_rows(const float* first, const float* second, std::size_t n, float* to) {
    for (std::size_t k = 0; k < n; ++k) to[k] = pair(first[k], second[k]);
  }
};

}  // namespace hogwild::detail
