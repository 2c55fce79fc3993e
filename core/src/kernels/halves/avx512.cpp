// SPDX-License-Identifier: Apache-2.0
#include "kernels/halves/loops.hpp"
#include "kernels/instruction_sets.hpp"
#include "kernels/x86_values.hpp"

namespace hogwild::detail {
namespace {

/// The same with the registers of AVX-512; vectors are of eight floats here, too.
struct avx512 : x86_values {};

}  // namespace

const half_kernels halves_avx512 = half_loops<avx512>::table;

}  // namespace hogwild::detail
