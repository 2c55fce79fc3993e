// SPDX-License-Identifier: Apache-2.0
#include "kernels/instruction_sets.hpp"
#include "kernels/window/loops.hpp"

namespace hogwild::detail {
namespace {

/// With AVX-512 F and DQ, and FMA.
struct window_sixteens {
  typedef float lanes __attribute__((vector_size(64)));
  typedef std::int32_t words __attribute__((vector_size(64)));
  typedef float eight __attribute__((vector_size(32)));
  typedef float quad __attribute__((vector_size(16)));
  static constexpr std::size_t rows = 3;

  static quad quad_of(lanes a) {
    const eight b = __builtin_shufflevector(a, a, 0, 1, 2, 3, 4, 5, 6, 7) +
                    __builtin_shufflevector(a, a, 8, 9, 10, 11, 12, 13, 14, 15);
    return __builtin_shufflevector(b, b, 0, 1, 2, 3) + __builtin_shufflevector(b, b, 4, 5, 6, 7);
  }
};

}  // namespace

const window_kernels window_avx512 = window_loops<window_sixteens>::table;

}  // namespace hogwild::detail
