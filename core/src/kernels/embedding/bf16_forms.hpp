// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hogwild/detail/kernels/bf16_kernels.hpp>

namespace hogwild::detail {

// Only on x86-64.
extern const bf16_kernels bf16_by_amx, bf16_by_avx512;

}  // namespace hogwild::detail
