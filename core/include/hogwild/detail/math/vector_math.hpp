// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <hogwild/detail/platform/device_code.hpp>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace hogwild {

/// e^x without a branch or a call, so that compilers vectorise a loop over it; within one unit in the last place
/// (including subnormal results). Infinity from 88.73 on, 0 below -103.98, NaN for NaN. On a device it is the device's
/// own function, within two such units.
HOGWILD_DEVICE_CODE inline float vector_exp(float x) {
#if defined(__CUDA_ARCH__)
  return ::expf(x);
#else
  // Limits |x| to 104 by its bits: some compilers would turn a comparison of floats into a branch. A NaN stays a NaN.
  constexpr std::int32_t limit = std::bit_cast<std::int32_t>(104.0f), infinity = 0x7f800000, quiet_nan = 0x7fc00000;
  const auto bits = std::bit_cast<std::int32_t>(x);
  const std::int32_t magnitude = bits & 0x7fffffff;
  const std::int32_t limited = magnitude < limit ? magnitude : limit;
  const std::int32_t nan = magnitude > infinity ? quiet_nan : 0;
  x = std::bit_cast<float>(limited | nan | (bits ^ magnitude));

  // x = n ln 2 + r with |r| <= ln 2 / 2. Adding 1.5 * 2^23 rounds to a whole number, which is then in the low bits.
  constexpr float to_whole = 12582912.0f;
  const float shifted = x * 1.44269504f + to_whole;
  const float n = shifted - to_whole;
  // ln 2 in two parts; the first has so few bits that n times it is exact.
  const float r = (x - n * 0.693359375f) - n * -2.12194440e-4f;

  // A minimax polynomial for (e^r - 1 - r) / r^2, in pairs so that few operations depend on each other.
  const float r2 = r * r;
  const float upper = (1.9790298e-4f * r + 1.3944703e-3f) * r2 + (8.333498e-3f * r + 4.1666295e-2f);
  const float p = ((upper * r2 + (1.6666666e-1f * r + 0.5f)) * r2 + r) + 1.0f;

  // 2^n in two factors: a single one could not reach subnormal numbers or infinity.
  const auto power =
      static_cast<std::int32_t>(std::bit_cast<std::uint32_t>(shifted) - std::bit_cast<std::uint32_t>(to_whole));
  const std::int32_t half_power = power >> 1;
  const auto power_of_two = [](std::int32_t e) {
    return std::bit_cast<float>((static_cast<std::uint32_t>(e) + 127u) << 23);
  };
  return (p * power_of_two(half_power)) * power_of_two(power - half_power);
#endif
}

/// log(1 + x) for x in [0, 1], with a relative error of at most 1.8e-7; like vector_exp() without a branch or a call.
/// The series of 2 artanh(x / (2 + x)), whose next term is below 1.5e-8 of the result.
inline float vector_log1p(float x) {
  const float s = x / (2.0f + x), q = s * s, q2 = q * q;
  const float low = (1.0f / 3 + q * (1.0f / 5)) + q2 * (1.0f / 7 + q * (1.0f / 9));
  const float high = 1.0f / 11 + q * (1.0f / 13);
  return 2.0f * s + 2.0f * s * (q * (low + q2 * q2 * high));
}

/// log(1 + e^x), without overflow.
inline double soft_plus(double x) {
  return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
}

/// The square root of each number, rounded as by std::sqrt. Compilers do not vectorise a loop over std::sqrt, because
/// it has to set errno for numbers below zero.
template <std::floating_point T>
void square_roots(std::span<T> numbers) {
  std::size_t i = 0;
#if defined(__SSE2__)
  if constexpr (std::same_as<T, float>) {
    for (; i + 4 <= numbers.size(); i += 4) _mm_storeu_ps(&numbers[i], _mm_sqrt_ps(_mm_loadu_ps(&numbers[i])));
  }
#endif
  for (; i < numbers.size(); ++i) numbers[i] = std::sqrt(numbers[i]);
}

}  // namespace hogwild
