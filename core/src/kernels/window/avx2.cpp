// SPDX-License-Identifier: Apache-2.0
#include "kernels/instruction_sets.hpp"
#include "kernels/window/loops.hpp"

namespace hogwild::detail {
namespace {

/// With AVX2 and FMA.
struct window_eights {
  typedef float lanes __attribute__((vector_size(32)));
  typedef std::int32_t words __attribute__((vector_size(32)));
  typedef float quad __attribute__((vector_size(16)));
  static constexpr std::size_t rows = 1;

  static quad quad_of(lanes a) {
    return __builtin_shufflevector(a, a, 0, 1, 2, 3) + __builtin_shufflevector(a, a, 4, 5, 6, 7);
  }
};

}  // namespace

const window_kernels window_avx2 = window_loops<window_eights>::table;

}  // namespace hogwild::detail
