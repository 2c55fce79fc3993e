// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "kernels/cut/loops.hpp"

namespace hogwild::detail {
namespace {

/// With AVX-512 F, BW, VL and DQ: a group at a time. Both floats of a node are one 64-bit element.
struct cut_sixteens {
  static void train(const cut_points& to, const cut_edges& edges, std::size_t first, std::size_t last) {
    const __m512i nodes = _mm512_set1_epi32(static_cast<int>(to.nodes));
    const __m512 step = _mm512_set1_ps(to.step), zero = _mm512_setzero_ps();
    for (std::size_t g = first; g < last; ++g) {
      const std::size_t e = edges.groups[g];
      const auto all = static_cast<__mmask16>((1u << (edges.groups[g + 1] - e)) - 1);
      const __m512i u = _mm512_maskz_loadu_epi32(all, edges.u + e), v = _mm512_maskz_loadu_epi32(all, edges.v + e);
      const __mmask16 inner = _mm512_mask_cmplt_epu32_mask(all, v, nodes);
      const __m512 at_u = read(to.at, u, all);
      const __m512 at_v =
          _mm512_mask_mov_ps(read(to.at, v, inner), _mm512_cmpeq_epi32_mask(v, nodes), _mm512_set1_ps(1.0f));
      const __mmask16 above = _mm512_cmp_ps_mask(at_u, at_v, _CMP_GT_OQ);
      const __mmask16 below = _mm512_cmp_ps_mask(at_u, at_v, _CMP_LT_OQ);
      const __m512 capacity =
          _mm512_mask_loadu_ps(_mm512_maskz_loadu_ps(all, edges.back + e), all & above, edges.forth + e);
      const __m512 c = _mm512_mul_ps(step, capacity);
      const __m512 moved = _mm512_mask_mov_ps(_mm512_maskz_sub_ps(below, zero, c), above, c);
      write(to.at, u, all, part(_mm512_sub_ps(at_u, moved)));
      write(to.at, v, inner, part(_mm512_add_ps(at_v, moved)));
    }
  }

  static void parts(const float* at, std::size_t count, float* to) {
    std::size_t i = 0;
    for (; i + cut_lanes <= count; i += cut_lanes)
      _mm512_storeu_ps(to + i, part_at(_mm512_loadu_ps(at + 2 * i), _mm512_loadu_ps(at + 2 * i + 16)));
    cut_loops::parts(at + 2 * i, count - i, to + i);
  }

  template <class Value>
  static cut_sums measure(const float* part, const std::uint32_t* ends, const Value* capacity, std::size_t count) {
    __m512d apart[2]{}, cut[2]{};
    std::size_t i = 0;
    for (; i + cut_lanes <= count; i += cut_lanes) {
      const __m512i near = _mm512_loadu_si512(ends + 2 * i), far = _mm512_loadu_si512(ends + 2 * i + 16);
      const __m512 u = _mm512_i32gather_ps(_mm512_permutex2var_epi32(near, evens(), far), part, 4);
      const __m512 v = _mm512_i32gather_ps(_mm512_permutex2var_epi32(near, odds(), far), part, 4);
      const __m512 low = load(capacity + 2 * i), high = load(capacity + 2 * i + 16);
      const __m512 c =
          _mm512_mask_mov_ps(_mm512_permutex2var_ps(low, odds(), high), _mm512_cmp_ps_mask(u, v, _CMP_GT_OQ),
                             _mm512_permutex2var_ps(low, evens(), high));
      const __m512 half = _mm512_set1_ps(0.5f);
      const auto differ =
          static_cast<__mmask16>(_mm512_cmp_ps_mask(u, half, _CMP_GE_OQ) ^ _mm512_cmp_ps_mask(v, half, _CMP_GE_OQ));
      add(_mm512_mul_ps(c, _mm512_abs_ps(_mm512_sub_ps(u, v))), apart);
      add(_mm512_maskz_mov_ps(differ, c), cut);
    }
    alignas(64) double apart_by_lane[cut_lanes], cut_by_lane[cut_lanes];
    for (std::size_t k = 0; k < 2; ++k) {
      _mm512_store_pd(apart_by_lane + 8 * k, apart[k]);
      _mm512_store_pd(cut_by_lane + 8 * k, cut[k]);
    }
    for (std::size_t lane = 0; i + lane < count; ++lane)
      cut_loops::add(part, ends + 2 * (i + lane), capacity + 2 * (i + lane), apart_by_lane[lane], cut_by_lane[lane]);
    return cut_loops::total(apart_by_lane, cut_by_lane);
  }

  static constexpr cut_kernels table{train, parts, measure<float>, measure<half>};

 private:
  static __m512 load(const float* values) { return _mm512_loadu_ps(values); }
  static __m512 load(const half* values) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(values)));
  }
  static __m512i evens() { return _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0); }
  static __m512i odds() { return _mm512_set_epi32(31, 29, 27, 25, 23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1); }

  static __m512 part(__m512 x) { return _mm512_min_ps(_mm512_max_ps(x, _mm512_setzero_ps()), _mm512_set1_ps(1.0f)); }
  /// For sixteen nodes with these pairs of floats.
  static __m512 part_at(__m512 low, __m512 high) {
    const __m512 half = _mm512_set1_ps(0.5f);
    const __m512 by =
        _mm512_sub_ps(_mm512_permutex2var_ps(low, evens(), high), _mm512_permutex2var_ps(low, odds(), high));
    return part(_mm512_add_ps(_mm512_mul_ps(half, by), half));
  }
  /// Lanes outside of the mask are 0, the part of a terminal of side 1.
  static __m512 read(const float* at, __m512i node, __mmask16 lanes) {
    const __m512d none = _mm512_setzero_pd();
    const __m512d low =
        _mm512_mask_i32gather_pd(none, static_cast<__mmask8>(lanes), _mm512_castsi512_si256(node), at, 8);
    const __m512d high =
        _mm512_mask_i32gather_pd(none, static_cast<__mmask8>(lanes >> 8), _mm512_extracti64x4_epi64(node, 1), at, 8);
    return _mm512_maskz_mov_ps(lanes, part_at(_mm512_castpd_ps(low), _mm512_castpd_ps(high)));
  }
  static void write(float* at, __m512i node, __mmask16 lanes, __m512 part) {
    const __m512i first = _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    const __m512i second = _mm512_add_epi32(first, _mm512_set1_epi32(8));
    const __m512 rest = _mm512_sub_ps(_mm512_set1_ps(1.0f), part);
    _mm512_mask_i32scatter_pd(at, static_cast<__mmask8>(lanes), _mm512_castsi512_si256(node),
                              _mm512_castps_pd(_mm512_permutex2var_ps(part, first, rest)), 8);
    _mm512_mask_i32scatter_pd(at, static_cast<__mmask8>(lanes >> 8), _mm512_extracti64x4_epi64(node, 1),
                              _mm512_castps_pd(_mm512_permutex2var_ps(part, second, rest)), 8);
  }
  static void add(__m512 x, __m512d* sums) {
    sums[0] = _mm512_add_pd(sums[0], _mm512_cvtps_pd(_mm512_castps512_ps256(x)));
    sums[1] = _mm512_add_pd(sums[1], _mm512_cvtps_pd(_mm512_extractf32x8_ps(x, 1)));
  }
};

}  // namespace
}  // namespace hogwild::detail
