// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/x86_values.hpp"

namespace hogwild::detail {
namespace {  // each file that includes this has its own copy

/// Sixteen entries at once, with gather instructions, which are fast on Intel's server cores.
struct avx512_values : x86_values {
  using entries_at_once = floats16;

  static floats16 load_entries(const float* value) { return _mm512_loadu_ps(value); }
  static floats16 load_entries(const half* value) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(value)));
  }
  template <class Index>
  static floats16 gather(const float* w, const Index* index) {
    return _mm512_i32gather_ps(offsets(index), w, sizeof(float));
  }

 private:
  static __m512i offsets(const std::uint32_t* index) { return _mm512_loadu_si512(index); }
  static __m512i offsets(const std::uint16_t* index) {
    return _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(index)));
  }
};

}  // namespace
}  // namespace hogwild::detail
