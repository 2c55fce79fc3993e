// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <hogwild/core/kernels/margin_kernels.hpp>

namespace hogwild::detail {

/// One instruction set's kernels for every kind of row.
struct margin_kernel_set {
  const margin_kernels<std::uint32_t, float>* u32_float;
  const margin_kernels<std::uint32_t, half>* u32_half;
  const margin_kernels<std::uint16_t, float>* u16_float;
  const margin_kernels<std::uint16_t, half>* u16_half;
};

extern const margin_kernel_set scalar_kernels;
extern const margin_kernel_set avx2_kernels;    ///< on x86-64
extern const margin_kernel_set avx512_kernels;  ///< on x86-64

}  // namespace hogwild::detail
