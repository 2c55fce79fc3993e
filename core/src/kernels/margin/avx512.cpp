// SPDX-License-Identifier: Apache-2.0
#include <immintrin.h>

#include "kernels/instruction_sets.hpp"
#include "kernels/margin/loops.hpp"
#include "kernels/x86_values.hpp"

namespace hogwild::detail {
namespace {

/// AVX-512 F, BW, DQ and VL, with gather instructions: Intel's server cores have good ones.
struct avx512 : x86_values {
  static constexpr std::size_t block = 2 * width;

  template <class Index, class Value>
  static lanes add_products(lanes sum, const float* w, const Index* index, const Value* value) {
    const __m512 product = _mm512_i32gather_ps(offsets(index), w, sizeof(float)) * block_of(value);
    return (sum + _mm512_castps512_ps256(product)) + _mm512_extractf32x8_ps(product, 1);
  }

 private:
  static __m512i offsets(const std::uint32_t* index) { return _mm512_loadu_si512(index); }
  static __m512i offsets(const std::uint16_t* index) {
    return _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(index)));
  }
  static __m512 block_of(const float* value) { return _mm512_loadu_ps(value); }
  static __m512 block_of(const half* value) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(value)));
  }
};

}  // namespace

const margin_kernel_set margin_avx512{
    &margin_loops<avx512, std::uint32_t, float>::table, &margin_loops<avx512, std::uint32_t, half>::table,
    &margin_loops<avx512, std::uint16_t, float>::table, &margin_loops<avx512, std::uint16_t, half>::table};

}  // namespace hogwild::detail
