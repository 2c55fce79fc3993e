// SPDX-License-Identifier: Apache-2.0
// Compiled to assembly and read, never run: the loops of one FAMILY of kernels, which prefetch rows.
#include "kernels/FAMILY/loops.hpp"

namespace {
struct four_floats {
  using floats = hogwild::detail::floats4;
};
}  // namespace

extern "C" const void* kernels() {
  return &hogwild::detail::LOOPS<four_floats>::table;
}
