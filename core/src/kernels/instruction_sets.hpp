// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <hogwild/detail/kernels/factor_kernels.hpp>
#include <hogwild/detail/kernels/layer_kernels.hpp>
#include <hogwild/detail/kernels/margin_kernels.hpp>
#include <hogwild/detail/kernels/window_kernels.hpp>

// The kernels of each instruction set; which of them run is chosen in select.cpp. Those of AVX2 and AVX-512 are there
// on x86-64 alone.

namespace hogwild::detail {

/// One instruction set's kernels for every kind of row.
struct margin_kernel_set {
  const margin_kernels<std::uint32_t, float>* u32_float;
  const margin_kernels<std::uint32_t, half>* u32_half;
  const margin_kernels<std::uint16_t, float>* u16_float;
  const margin_kernels<std::uint16_t, half>* u16_half;
};

extern const margin_kernel_set margin_scalar, margin_avx2, margin_avx512;
extern const factor_kernels factor_scalar, factor_avx2, factor_avx512;
extern const window_kernels window_scalar, window_avx2, window_avx512;
/// Where there is Eigen.
extern const layer_kernels layer_scalar, layer_avx2, layer_avx512;

}  // namespace hogwild::detail
