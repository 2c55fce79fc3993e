// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include <hogwild/detail/data/half.hpp>

#include "kernels/gathered_values.hpp"

namespace hogwild::detail {
namespace {  // each file that includes this has its own copy

/// Reads a row's values, and factors that are halves, with F16C.
struct x86_values : gathered_values {
  static float load_one(const float* value) { return *value; }
  static float load_one(const half* value) { return _cvtsh_ss(static_cast<std::uint16_t>(*value)); }
  static floats8 load(const float* value) { return loaded(value); }
  static floats8 load(const half* value) {
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(value)));
  }

  static constexpr std::size_t most_halves = 8;
  template <class Floats>
  static Floats widened(const half* from) {
    if constexpr (sizeof(Floats) == sizeof(floats8))
      return load(from);
    else
      return _mm_cvtph_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)));
  }
  static void cut_off(half* to, floats4 value) {
    _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm_cvtps_ph(value, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC));
  }
  static void cut_off(half* to, floats8 value) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_cvtps_ph(value, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC));
  }

  static void round(half* to, floats8 value) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to),
                     _mm256_cvtps_ph(value, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
  }

  template <class Value>
  static floats8 load_entries(const Value* value) {
    return load(value);
  }
};

}  // namespace
}  // namespace hogwild::detail
