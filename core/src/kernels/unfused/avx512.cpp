// SPDX-License-Identifier: Apache-2.0
#include "kernels/avx512_values.hpp"
#include "kernels/cut/sixteens.hpp"
#include "kernels/unfused/loops.hpp"

namespace hogwild::detail {
namespace {

/// AVX-512 F, BW, DQ and VL, which has 32 registers of sixteen floats. Only margin kernels use gather instructions.
struct avx512 : x86_values {
  using widest = floats16;
  static constexpr std::size_t floats = 16, sums = 16;
  static constexpr std::size_t tile_rows = 12, tile_panels = 2;

  static floats16 fused(floats16 x, floats16 y, floats16 z) {
    return reinterpret_cast<floats16>(
        _mm512_fmadd_ps(reinterpret_cast<__m512>(x), reinterpret_cast<__m512>(y), reinterpret_cast<__m512>(z)));
  }
};
struct gathering_avx512 : avx512_values {};

}  // namespace

constinit const unfused_kernels unfused_avx512 = unfused_kernels_of<avx512, gathering_avx512, cut_sixteens>();

}  // namespace hogwild::detail
