// SPDX-License-Identifier: Apache-2.0
#include "kernels/classes/loops.hpp"
#include "kernels/instruction_sets.hpp"
#include "kernels/scalar_values.hpp"

namespace hogwild::detail {
namespace {

/// With the instructions that every CPU of the architecture supports.
struct scalar : scalar_values {};

}  // namespace

const class_kernel_set classes_scalar{
    &class_loops<scalar, std::uint32_t, float>::table, &class_loops<scalar, std::uint32_t, half>::table,
    &class_loops<scalar, std::uint16_t, float>::table, &class_loops<scalar, std::uint16_t, half>::table};

}  // namespace hogwild::detail
