// SPDX-License-Identifier: Apache-2.0
#include "kernels/instruction_sets.hpp"
#include "kernels/margin/loops.hpp"
#include "kernels/scalar_values.hpp"

namespace hogwild::detail {
namespace {

/// With the instructions that every CPU of the architecture supports.
struct scalar : scalar_values {};

}  // namespace

const margin_kernel_set margin_scalar{
    &margin_loops<scalar, std::uint32_t, float>::table, &margin_loops<scalar, std::uint32_t, half>::table,
    &margin_loops<scalar, std::uint16_t, float>::table, &margin_loops<scalar, std::uint16_t, half>::table};

}  // namespace hogwild::detail
