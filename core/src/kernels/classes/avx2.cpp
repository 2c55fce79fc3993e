// SPDX-License-Identifier: Apache-2.0
#include "kernels/classes/loops.hpp"
#include "kernels/instruction_sets.hpp"
#include "kernels/x86_values.hpp"

namespace hogwild::detail {
namespace {

/// With AVX2 and F16C.
struct avx2 : x86_values {};

}  // namespace

const class_kernel_set classes_avx2{
    &class_loops<avx2, std::uint32_t, float>::table, &class_loops<avx2, std::uint32_t, half>::table,
    &class_loops<avx2, std::uint16_t, float>::table, &class_loops<avx2, std::uint16_t, half>::table};

}  // namespace hogwild::detail
