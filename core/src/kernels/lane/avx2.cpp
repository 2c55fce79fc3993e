// SPDX-License-Identifier: Apache-2.0
#include "kernels/instruction_sets.hpp"
#include "kernels/lane/loops.hpp"
#include "kernels/x86_values.hpp"

namespace hogwild::detail {
namespace {

/// With AVX2 and F16C.
struct avx2 : x86_values {
  static constexpr std::size_t floats = 8, sums = 8;
};

}  // namespace

const lane_kernel_set lane_avx2{
    &lane_loops<avx2, std::uint32_t, float>::table, &lane_loops<avx2, std::uint32_t, half>::table,
    &lane_loops<avx2, std::uint16_t, float>::table, &lane_loops<avx2, std::uint16_t, half>::table};

}  // namespace hogwild::detail
