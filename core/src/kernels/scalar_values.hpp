// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <hogwild/detail/data/half.hpp>

#include "kernels/lanes.hpp"

namespace hogwild::detail {
namespace {  // each file that includes this has code of its own

/// A row's values as every CPU of the architecture reads them.
struct scalar_values : gathered_values {
  static float load_one(const float* value) { return *value; }
  static float load_one(const half* value) { return to_float(*value); }
  static lanes load(const float* value) { return loaded(value); }
  static lanes load(const half* value) {
    const quad decoded[2] = {to_floats(value), to_floats(value + 4)};
    lanes result;
    __builtin_memcpy(&result, decoded, sizeof result);
    return result;
  }

  template <class Value>
  static lanes load_entries(const Value* value) {
    return load(value);
  }

 private:
  // Four at a time, which every CPU has registers for: of longer vectors some compilers make single numbers.
  typedef float quad __attribute__((vector_size(16)));
  typedef std::uint32_t words __attribute__((vector_size(16)));

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
