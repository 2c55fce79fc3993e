// SPDX-License-Identifier: Apache-2.0
#define Eigen hogwild_eigen_scalar
#include "kernels/fused/loops.hpp"

namespace hogwild::detail {
namespace {

/// The instructions that every CPU of the architecture supports.
struct scalar {
  using floats = floats4;
  static constexpr std::size_t rows = 1;
};

}  // namespace

constinit const fused_kernels fused_scalar = fused_kernels_of<scalar>();

}  // namespace hogwild::detail
