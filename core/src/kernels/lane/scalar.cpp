// SPDX-License-Identifier: Apache-2.0
#include "kernels/instruction_sets.hpp"
#include "kernels/lane/loops.hpp"
#include "kernels/scalar_values.hpp"

namespace hogwild::detail {
namespace {

/// With the instructions that every CPU of the architecture supports: vectors of four floats, on x86-64 in half of 16
/// registers.
struct scalar : scalar_values {
  static constexpr std::size_t floats = 4, sums = 8;
};

}  // namespace

const lane_kernel_set lane_scalar{
    &lane_loops<scalar, std::uint32_t, float>::table, &lane_loops<scalar, std::uint32_t, half>::table,
    &lane_loops<scalar, std::uint16_t, float>::table, &lane_loops<scalar, std::uint16_t, half>::table};

}  // namespace hogwild::detail
