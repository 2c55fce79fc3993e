// SPDX-License-Identifier: Apache-2.0
#define Eigen hogwild_eigen_scalar
#include "kernels/layer/loops.hpp"

namespace hogwild::detail {

const layer_kernels layer_scalar = layers_here;

}  // namespace hogwild::detail
