// SPDX-License-Identifier: Apache-2.0
#include "kernels/factor/loops.hpp"
#include "kernels/instruction_sets.hpp"

namespace hogwild::detail {
namespace {

/// Vectors of four floats, which every CPU of the architecture supports.
struct factor_fours {
  typedef float lanes __attribute__((vector_size(16)));

  static float total(lanes a) { return (a[0] + a[2]) + (a[1] + a[3]); }
};

}  // namespace

const factor_kernels factor_scalar = factor_loops<factor_fours>::table;

}  // namespace hogwild::detail
