// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hogwild/core/kernels/window_kernels.hpp>

namespace hogwild::detail {

extern const window_kernels window_scalar;
extern const window_kernels window_avx2;    ///< on x86-64
extern const window_kernels window_avx512;  ///< on x86-64

}  // namespace hogwild::detail
