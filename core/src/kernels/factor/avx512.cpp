// SPDX-License-Identifier: Apache-2.0
#include <immintrin.h>

#include "kernels/factor/loops.hpp"
#include "kernels/instruction_sets.hpp"

namespace hogwild::detail {
namespace {

/// With AVX-512 F and DQ, and FMA.
struct factor_sixteens {
  using lanes = __m512;

  static float total(lanes a) {
    const __m256 halves = _mm256_add_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1));
    __m128 sum = _mm_add_ps(_mm256_castps256_ps128(halves), _mm256_extractf128_ps(halves, 1));
    sum = _mm_add_ps(sum, _mm_movehl_ps(sum, sum));
    return _mm_cvtss_f32(_mm_add_ss(sum, _mm_movehdup_ps(sum)));
  }
};

}  // namespace

const factor_kernels factor_avx512 = factor_loops<factor_sixteens>::table;

}  // namespace hogwild::detail
