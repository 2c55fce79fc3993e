// SPDX-License-Identifier: Apache-2.0
#define Eigen hogwild_eigen_avx2
#include "kernels/fused/loops.hpp"

namespace hogwild::detail {
namespace {

/// AVX2 and FMA.
struct avx2 {
  using floats = floats8;
  static constexpr std::size_t rows = 1;
};

}  // namespace

constinit const fused_kernels fused_avx2 = fused_kernels_of<avx2>();

}  // namespace hogwild::detail
