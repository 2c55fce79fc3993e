// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/factor/loops.hpp"
#include "kernels/instruction_sets.hpp"
#include "kernels/pairwise/loops.hpp"
#ifdef HOGWILD_HAS_EIGEN
#include "kernels/layer/loops.hpp"
#endif
#include "kernels/window/loops.hpp"

// The loops of all families whose kernels may fuse products with sums; as unfused/loops.hpp.

namespace hogwild::detail {

template <class Isa>
constexpr fused_kernels fused_kernels_of() {
  return {.factor = factor_loops<Isa>::table,
          .pairwise = pairwise_loops<Isa>::table,
          .window = window_loops<Isa>::table,
#ifdef HOGWILD_HAS_EIGEN
          .layer = &layers_here};
#else
          .layer = nullptr};
#endif
}

}  // namespace hogwild::detail
