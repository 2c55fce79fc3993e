// SPDX-License-Identifier: Apache-2.0
#include "kernels/instruction_sets.hpp"
#include "kernels/lane/loops.hpp"
#include "kernels/x86_values.hpp"

namespace hogwild::detail {
namespace {

/// With AVX-512 F, BW, DQ and VL, which has 32 registers.
struct avx512 : x86_values {
  static constexpr std::size_t floats = 16, sums = 16;
};

}  // namespace

const lane_kernel_set lane_avx512{
    &lane_loops<avx512, std::uint32_t, float>::table, &lane_loops<avx512, std::uint32_t, half>::table,
    &lane_loops<avx512, std::uint16_t, float>::table, &lane_loops<avx512, std::uint16_t, half>::table};

}  // namespace hogwild::detail
