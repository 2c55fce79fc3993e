// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <hogwild/detail/data/half.hpp>
#include <hogwild/detail/memory/param_view.hpp>
#include <hogwild/detail/platform/device_code.hpp>

namespace hogwild::device {

/// Two numbers of IEEE 754 binary16, the first in the lower bits: the word that a lane reads and writes.
enum class half_pair : std::uint32_t {};

/// Rounds to nearest, ties to even; numbers from 65520 on become infinity.
HOGWILD_DEVICE_CODE inline half_pair to_half_pair(float first, float second) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  std::uint32_t bits;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(second), "f"(first));
  return static_cast<half_pair>(bits);
#elif defined(__CUDA_ARCH__)
  std::uint16_t lower, upper;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(lower) : "f"(first));
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(upper) : "f"(second));
  return static_cast<half_pair>(lower | std::uint32_t{upper} << 16);
#else
  return static_cast<half_pair>(static_cast<std::uint16_t>(to_half(first)) |
                                std::uint32_t{static_cast<std::uint16_t>(to_half(second))} << 16);
#endif
}

/// The first of the two if `which` is 0, else the second; exact.
HOGWILD_DEVICE_CODE inline float number_of(half_pair pair, unsigned which) {
  const auto bits = static_cast<std::uint16_t>(static_cast<std::uint32_t>(pair) >> (which == 0 ? 0 : 16));
#if defined(__CUDA_ARCH__)
  float number;
  asm("cvt.f32.f16 %0, %1;" : "=f"(number) : "h"(bits));
  return number;
#else
  return to_float(static_cast<half>(bits));
#endif
}

/// Pairs in a device's own memory, which any number of its warps read and write at the same time. Each access is
/// relaxed: never torn, and without any order between two pairs.
class half_pairs {
 public:
  HOGWILD_DEVICE_CODE explicit half_pairs(half_pair* data) : data_(data) {}

  HOGWILD_DEVICE_CODE half_pair load(std::size_t k) const {
#if defined(__CUDA_ARCH__)
    std::uint32_t bits;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(bits) : "l"(__cvta_generic_to_global(data_ + k)));
    return static_cast<half_pair>(bits);
#else
    return hogwild::detail::load_relaxed(data_[k]);
#endif
  }

  HOGWILD_DEVICE_CODE void store(std::size_t k, half_pair pair) const {
#if defined(__CUDA_ARCH__)
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(data_ + k)),
                 "r"(static_cast<std::uint32_t>(pair)));
#else
    hogwild::detail::store_relaxed(data_[k], pair);
#endif
  }

 private:
  half_pair* data_;
};

}  // namespace hogwild::device
