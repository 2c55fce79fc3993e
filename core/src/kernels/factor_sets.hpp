// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hogwild/core/kernels/factor_kernels.hpp>

namespace hogwild::detail {

extern const factor_kernels factor_scalar;
extern const factor_kernels factor_avx2;    ///< on x86-64
extern const factor_kernels factor_avx512;  ///< on x86-64

}  // namespace hogwild::detail
