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
};

}  // namespace

constinit const unfused_kernels unfused_scalar = unfused_kernels_of<scalar>();

}  // namespace hogwild::detail
