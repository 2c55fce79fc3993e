// SPDX-License-Identifier: Apache-2.0
#include <hogwild/core/kernels/window_kernels.hpp>

#include "window_sets.hpp"

namespace hogwild {

const window_kernels& window_kernels_of(isa set) {
#ifdef HOGWILD_X86_KERNELS
  if (set == isa::avx512) return detail::window_avx512;
  if (set == isa::avx2) return detail::window_avx2;
#endif
  static_cast<void>(set);
  return detail::window_scalar;
}

}  // namespace hogwild
