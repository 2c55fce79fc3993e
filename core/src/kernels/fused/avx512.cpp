// SPDX-License-Identifier: Apache-2.0
#define Eigen hogwild_eigen_avx512
#include "kernels/fused/loops.hpp"

namespace hogwild::detail {
namespace {

/// AVX-512 F, BW, DQ and VL, and FMA.
struct avx512 {
  using floats = floats16;
  static constexpr std::size_t rows = 3;
};

}  // namespace

constinit const fused_kernels fused_avx512 = fused_kernels_of<avx512>();

}  // namespace hogwild::detail
