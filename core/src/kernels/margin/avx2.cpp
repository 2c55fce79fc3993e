// SPDX-License-Identifier: Apache-2.0
#include <immintrin.h>

#include "kernels/instruction_sets.hpp"
#include "kernels/margin/loops.hpp"
#include "kernels/x86_values.hpp"

namespace hogwild::detail {
namespace {

/// With AVX2 and F16C, without gather instructions: see gathered().
struct avx2 : x86_values {};

}  // namespace

const margin_kernel_set margin_avx2{
    &margin_loops<avx2, std::uint32_t, float>::table, &margin_loops<avx2, std::uint32_t, half>::table,
    &margin_loops<avx2, std::uint16_t, float>::table, &margin_loops<avx2, std::uint16_t, half>::table};

}  // namespace hogwild::detail
