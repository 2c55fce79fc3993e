// SPDX-License-Identifier: Apache-2.0
#include "kernels/instruction_sets.hpp"
#include "kernels/machine/loops.hpp"
#include "kernels/x86_values.hpp"

namespace hogwild::detail {
namespace {

/// With AVX2 and F16C.
struct avx2 : x86_values {};

}  // namespace

const machine_kernel_set machine_avx2{
    &machine_loops<avx2, float, std::uint32_t, float>::table, &machine_loops<avx2, float, std::uint32_t, half>::table,
    &machine_loops<avx2, float, std::uint16_t, float>::table, &machine_loops<avx2, float, std::uint16_t, half>::table};
const half_machine_kernel_set half_machine_avx2{
    &machine_loops<avx2, half, std::uint32_t, float>::table, &machine_loops<avx2, half, std::uint32_t, half>::table,
    &machine_loops<avx2, half, std::uint16_t, float>::table, &machine_loops<avx2, half, std::uint16_t, half>::table};

}  // namespace hogwild::detail
