// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <immintrin.h>

#include <cstdint>

#include <hogwild/detail/data/half.hpp>

#include "kernels/lanes.hpp"

namespace hogwild::detail {
namespace {  // each file that includes this has code of its own

/// A row's values, read with F16C.
struct x86_values : gathered_values {
  static float load_one(const float* value) { return *value; }
  static float load_one(const half* value) { return _cvtsh_ss(static_cast<std::uint16_t>(*value)); }
  static lanes load(const float* value) { return loaded(value); }
  static lanes load(const half* value) {
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(value)));
  }
  template <class Value>
  static lanes load_entries(const Value* value) {
    return load(value);
  }
};

}  // namespace
}  // namespace hogwild::detail
