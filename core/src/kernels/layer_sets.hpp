// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hogwild/core/kernels/layer_kernels.hpp>

namespace hogwild::detail {

extern const layer_kernels scalar_layers;  ///< whatever every CPU of this kind has: SSE2 on x86-64
extern const layer_kernels avx2_layers;    ///< on x86-64; with FMA
extern const layer_kernels avx512_layers;  ///< on x86-64

}  // namespace hogwild::detail
