// SPDX-License-Identifier: Apache-2.0
#include <hogwild/core/kernels/factor_kernels.hpp>

#include "factor_sets.hpp"

namespace hogwild {

const factor_kernels& factor_kernels_of(isa set) {
#ifdef HOGWILD_X86_KERNELS
  if (set == isa::avx512) return detail::factor_avx512;
  if (set == isa::avx2) return detail::factor_avx2;
#endif
  static_cast<void>(set);
  return detail::factor_scalar;
}

}  // namespace hogwild
