// SPDX-License-Identifier: Apache-2.0
#include <hogwild/core/error.hpp>
#include <hogwild/core/kernels/layer_kernels.hpp>

#include "layer_sets.hpp"

namespace hogwild {

std::string layer_kernels_missing() {
  return "is not part of this build, which was made without Eigen: install Eigen 3.4 (libeigen3-dev on Debian), "
         "configure and build again";
}

#ifdef HOGWILD_HAS_EIGEN

bool has_layer_kernels() {
  return true;
}

const layer_kernels& layer_kernels_of(isa set) {
#ifdef HOGWILD_X86_KERNELS
  if (set == isa::automatic) set = has_isa(isa::avx512) ? isa::avx512 : has_isa(isa::avx2) ? isa::avx2 : isa::scalar;
  if (set == isa::avx512) return detail::avx512_layers;
  if (set == isa::avx2) return detail::avx2_layers;
#endif
  static_cast<void>(set);
  return detail::scalar_layers;
}

#else

bool has_layer_kernels() {
  return false;
}

const layer_kernels& layer_kernels_of(isa) {
  throw config_error("a neural net " + layer_kernels_missing());
}

#endif

}  // namespace hogwild
