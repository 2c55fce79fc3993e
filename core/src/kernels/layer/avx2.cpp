// SPDX-License-Identifier: Apache-2.0
#define Eigen hogwild_eigen_avx2
#include "kernels/layer/loops.hpp"

namespace hogwild::detail {

const layer_kernels layer_avx2 = layers_here;

}  // namespace hogwild::detail
