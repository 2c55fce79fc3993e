// SPDX-License-Identifier: Apache-2.0
#include "kernels/instruction_sets.hpp"
#include "kernels/machine/loops.hpp"
#include "kernels/scalar_values.hpp"

namespace hogwild::detail {
namespace {

/// With the instructions that every CPU of the architecture supports.
struct scalar : scalar_values {};

}  // namespace

const machine_kernel_set machine_scalar{&machine_loops<scalar, float, std::uint32_t, float>::table,
                                        &machine_loops<scalar, float, std::uint32_t, half>::table,
                                        &machine_loops<scalar, float, std::uint16_t, float>::table,
                                        &machine_loops<scalar, float, std::uint16_t, half>::table};
const half_machine_kernel_set half_machine_scalar{&machine_loops<scalar, half, std::uint32_t, float>::table,
                                                  &machine_loops<scalar, half, std::uint32_t, half>::table,
                                                  &machine_loops<scalar, half, std::uint16_t, float>::table,
                                                  &machine_loops<scalar, half, std::uint16_t, half>::table};

}  // namespace hogwild::detail
