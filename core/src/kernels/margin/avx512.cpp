// SPDX-License-Identifier: Apache-2.0
#include "kernels/avx512_values.hpp"
#include "kernels/instruction_sets.hpp"
#include "kernels/margin/loops.hpp"

namespace hogwild::detail {
namespace {

/// With AVX-512 F, BW, DQ and VL, and gather instructions.
struct avx512 : avx512_values {};

}  // namespace

const margin_kernel_set margin_avx512{
    &margin_loops<avx512, std::uint32_t, float>::table, &margin_loops<avx512, std::uint32_t, half>::table,
    &margin_loops<avx512, std::uint16_t, float>::table, &margin_loops<avx512, std::uint16_t, half>::table};

}  // namespace hogwild::detail
