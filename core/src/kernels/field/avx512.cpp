// SPDX-License-Identifier: Apache-2.0
#include "kernels/field/loops.hpp"
#include "kernels/instruction_sets.hpp"
#include "kernels/x86_values.hpp"

namespace hogwild::detail {
namespace {

/// With registers of sixteen floats.
struct avx512 : x86_values {
  using widest = double_lanes;
};

}  // namespace

const field_kernels field_avx512 = field_loops<avx512, float>::table;
const field_kernels_on<half> half_field_avx512 = field_loops<avx512, half>::table;

}  // namespace hogwild::detail
