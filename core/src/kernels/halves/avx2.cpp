// SPDX-License-Identifier: Apache-2.0
#include "kernels/halves/loops.hpp"
#include "kernels/instruction_sets.hpp"
#include "kernels/x86_values.hpp"

namespace hogwild::detail {
namespace {

/// With AVX2 and F16C.
struct avx2 : x86_values {};

}  // namespace

const half_kernels halves_avx2 = half_loops<avx2>::table;

}  // namespace hogwild::detail
