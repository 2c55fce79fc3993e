// SPDX-License-Identifier: Apache-2.0
#include "kernels/field/loops.hpp"
#include "kernels/instruction_sets.hpp"

namespace hogwild::detail {
namespace {

/// What every CPU of the architecture has.
struct scalar {
  using widest = half_lanes;
};

}  // namespace

const field_kernels field_scalar = field_loops<scalar>::table;

}  // namespace hogwild::detail
