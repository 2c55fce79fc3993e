// SPDX-License-Identifier: Apache-2.0
#include <immintrin.h>

#include "kernels/factor/loops.hpp"
#include "kernels/instruction_sets.hpp"

namespace hogwild::detail {
namespace {

/// With AVX2 and FMA.
struct factor_eights {
  using lanes = __m256;

  static float total(lanes a) {
    __m128 sum = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    sum = _mm_add_ps(sum, _mm_movehl_ps(sum, sum));
    return _mm_cvtss_f32(_mm_add_ss(sum, _mm_movehdup_ps(sum)));
  }
};

}  // namespace

const factor_kernels factor_avx2 = factor_loops<factor_eights>::table;

}  // namespace hogwild::detail
