// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <hogwild/detail/data/half.hpp>

#include "kernels/gathered_values.hpp"

namespace hogwild::detail {
namespace {  // each file that includes this has its own copy

/// Reads a row's values, and factors that are halves, on every CPU of the architecture.
struct scalar_values : gathered_values {
  static float load_one(const float* value) { return *value; }
  static float load_one(const half* value) { return to_float(*value); }
  static floats8 load(const float* value) { return loaded(value); }
  static floats8 load(const half* value) {
    const quad decoded[2] = {to_floats(value), to_floats(value + 4)};
    floats8 result;
    __builtin_memcpy(&result, decoded, sizeof result);
    return result;
  }

  static constexpr std::size_t most_halves = 4;
  template <class Floats>
  static Floats widened(const half* from) {
    return to_floats(from);
  }
  static void cut_off(half* to, floats4 value) {
    words bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    const words magnitude = bits & 0x7fffffffu;
    const words subnormal = reinterpret_cast<words>(magnitude < (113u << 23));
    const words beyond = reinterpret_cast<words>(magnitude >= (143u << 23)),
                special = reinterpret_cast<words>(magnitude >= (255u << 23));
    const words nan = reinterpret_cast<words>(magnitude > (255u << 23));
    // Below 2^-14, in units of 2^-24.
    const words units = reinterpret_cast<words>(
        __builtin_convertvector(reinterpret_cast<quad>(magnitude & subnormal) * 16777216.0f, whole_numbers));
    words cut = ((magnitude - (112u << 23)) >> 13 & ~subnormal) | units;
    cut = (cut & ~beyond) | (beyond & 0x7bffu);
    cut = (cut & ~special) | (special & 0x7c00u) | (nan & (0x200u | (magnitude >> 13 & 0x3ffu)));
    cut |= bits >> 16 & 0x8000u;
    for (std::size_t i = 0; i < 4; ++i) to[i] = static_cast<half>(cut[i]);
  }

  static void round(half* to, floats8 value) {
    for (std::size_t i = 0; i < width; ++i) to[i] = to_half(value[i]);
  }

  template <class Value>
  static floats8 load_entries(const Value* value) {
    return load(value);
  }

 private:
  // Four at a time, which every CPU supports with registers: some compilers split longer vectors into single numbers.
  typedef float quad __attribute__((vector_size(16)));
  typedef std::uint32_t words __attribute__((vector_size(16)));
  typedef std::int32_t whole_numbers __attribute__((vector_size(16)));

  /// to_float().
  static quad to_floats(const half* value) {
    const words bits{static_cast<std::uint16_t>(value[0]), static_cast<std::uint16_t>(value[1]),
                     static_cast<std::uint16_t>(value[2]), static_cast<std::uint16_t>(value[3])};
    const words exponent = bits & 0x7c00u;
    const words subnormal = reinterpret_cast<words>(exponent == 0u);
    const words special = reinterpret_cast<words>(exponent == 0x7c00u);
    const words hidden = subnormal & (113u << 23);
    const words bias = (112u << 23) + (subnormal & (1u << 23)) + (special & (112u << 23));
    const words magnitude = ((bits & 0x7fffu) << 13) + bias;
    const quad result = reinterpret_cast<quad>(magnitude) - reinterpret_cast<quad>(hidden);
    return reinterpret_cast<quad>(reinterpret_cast<words>(result) | ((bits & 0x8000u) << 16));
  }
};

}  // namespace
}  // namespace hogwild::detail
