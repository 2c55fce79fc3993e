// SPDX-License-Identifier: Apache-2.0
#include "kernels/unfused/loops.hpp"
#include "kernels/x86_values.hpp"

namespace hogwild::detail {
namespace {

/// AVX2 and F16C, without gather instructions: see gathered().
struct avx2 : x86_values {
  using widest = floats8;
  static constexpr std::size_t floats = 8, sums = 8;
  static constexpr std::size_t tile_rows = 6, tile_panels = 1;

  static floats8 fused(floats8 x, floats8 y, floats8 z) {
    return reinterpret_cast<floats8>(
        _mm256_fmadd_ps(reinterpret_cast<__m256>(x), reinterpret_cast<__m256>(y), reinterpret_cast<__m256>(z)));
  }
};

}  // namespace

constinit const unfused_kernels unfused_avx2 = unfused_kernels_of<avx2>();

}  // namespace hogwild::detail
