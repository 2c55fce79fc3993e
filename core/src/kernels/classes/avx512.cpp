// SPDX-License-Identifier: Apache-2.0
#include "kernels/classes/loops.hpp"
#include "kernels/instruction_sets.hpp"
#include "kernels/x86_values.hpp"

namespace hogwild::detail {
namespace {

/// The same with the registers of AVX-512; vectors are of eight floats here, too.
struct avx512 : x86_values {};

}  // namespace

const class_kernel_set classes_avx512{
    &class_loops<avx512, std::uint32_t, float>::table, &class_loops<avx512, std::uint32_t, half>::table,
    &class_loops<avx512, std::uint16_t, float>::table, &class_loops<avx512, std::uint16_t, half>::table};

}  // namespace hogwild::detail
