// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

namespace hogwild {

/// The bits of an IEEE 754 binary16 number: 11 significant bits, largest finite value 65504, smallest positive one
/// 2^-24. For storage, not for arithmetic.
enum class half : std::uint16_t {};

/// Exact. A NaN becomes a quiet NaN with the same sign and payload. Without branches, so that it vectorises.
constexpr float to_float(half h) {
  const std::uint32_t bits = static_cast<std::uint16_t>(h);
  const std::uint32_t exponent = bits & 0x7c00u;
  const std::uint32_t magnitude = (bits & 0x7fffu) << 13;  // the exponent still biased by 15
  // A subnormal gets the exponent of 2^-14, and the hidden bit that this adds is subtracted again.
  const std::uint32_t hidden = exponent == 0 ? 113u << 23 : 0;
  const std::uint32_t bias = exponent == 0x7c00u ? 224u << 23 : 112u << 23;
  const float value = std::bit_cast<float>(magnitude + (exponent == 0 ? hidden : bias)) - std::bit_cast<float>(hidden);
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) | (bits & 0x8000u) << 16);
}

/// Rounds to nearest, ties to even; to infinity from 65520 on. A NaN becomes a quiet NaN of the same sign.
constexpr half to_half(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  std::uint32_t rounded = 0;
  if (magnitude > 0x7f800000u) {
    rounded = 0x7e00u | ((magnitude >> 13) & 0x3ffu);
  } else if (magnitude >= 0x47800000u) {  // 65536 or more
    rounded = 0x7c00u;
  } else if (magnitude < 0x38800000u) {
    // Below 2^-14: adding 0.5 puts the value in units of 2^-24, and the addition rounds as required.
    rounded = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3f000000u;
  } else {
    const std::uint32_t odd = (magnitude >> 13) & 1u;
    rounded = (magnitude - (112u << 23) + 0xfffu + odd) >> 13;  // a carry into the exponent is correct, up to infinity
  }
  return static_cast<half>(rounded | sign);
}

}  // namespace hogwild
