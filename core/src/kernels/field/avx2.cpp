// SPDX-License-Identifier: Apache-2.0
#include "kernels/field/loops.hpp"
#include "kernels/instruction_sets.hpp"
#include "kernels/x86_values.hpp"

namespace hogwild::detail {
namespace {

/// With registers of eight floats.
struct avx2 : x86_values {
  using widest = lanes;
};

}  // namespace

const field_kernels field_avx2 = field_loops<avx2, float>::table;
const field_kernels_on<half> half_field_avx2 = field_loops<avx2, half>::table;

}  // namespace hogwild::detail
