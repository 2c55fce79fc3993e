// SPDX-License-Identifier: Apache-2.0
#include "kernels/halves/loops.hpp"
#include "kernels/instruction_sets.hpp"
#include "kernels/scalar_values.hpp"

namespace hogwild::detail {
namespace {

/// With the instructions that every CPU of the architecture supports.
struct scalar : scalar_values {};

}  // namespace

const half_kernels halves_scalar = half_loops<scalar>::table;

}  // namespace hogwild::detail
