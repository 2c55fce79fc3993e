// SPDX-License-Identifier: Apache-2.0
#include "kernels/scalar_values.hpp"
#include "kernels/unfused/loops.hpp"

namespace hogwild::detail {
namespace {

/// The instructions that every CPU of the architecture supports: registers of four floats, 16 of them on x86-64, of
/// which models side by side use half for sums.
struct scalar : scalar_values {
  using widest = floats4;
  static constexpr std::size_t floats = 4, sums = 8;
  static constexpr std::size_t tile_rows = 4, tile_panels = 1;

  static floats4 fused(floats4 x, floats4 y, floats4 z) {
    for (std::size_t i = 0; i < 4; ++i) z[i] = __builtin_fmaf(x[i], y[i], z[i]);
    return z;
  }
};

}  // namespace

constinit const unfused_kernels unfused_scalar = unfused_kernels_of<scalar>();

}  // namespace hogwild::detail
