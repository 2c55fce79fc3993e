// SPDX-License-Identifier: Apache-2.0
#include "kernels/field/loops.hpp"
#include "kernels/instruction_sets.hpp"
#include "kernels/scalar_values.hpp"

namespace hogwild::detail {
namespace {

/// With the instructions that every CPU of the architecture supports.
struct scalar : scalar_values {
  using widest = half_lanes;
};

}  // namespace

const field_kernels field_scalar = field_loops<scalar, float>::table;
const field_kernels_on<half> half_field_scalar = field_loops<scalar, half>::table;

}  // namespace hogwild::detail
