// SPDX-License-Identifier: Apache-2.0
#include "kernels/unfused/loops.hpp"
#include "kernels/x86_values.hpp"

namespace hogwild::detail {
namespace {

/// AVX2 and F16C, without gather instructions: see gathered().
struct avx2 : x86_values {
  using widest = floats8;
  static constexpr std::size_t floats = 8, sums = 8;
};

}  // namespace

constinit const unfused_kernels unfused_avx2 = unfused_kernels_of<avx2>();

}  // namespace hogwild::detail
