// SPDX-License-Identifier: Apache-2.0
#include "kernels/instruction_sets.hpp"
#include "kernels/window/loops.hpp"

namespace hogwild::detail {
namespace {

/// With the instructions that every CPU of the architecture supports.
struct window_fours {
  typedef float lanes __attribute__((vector_size(16)));
  typedef std::int32_t words __attribute__((vector_size(16)));
  static constexpr std::size_t rows = 1;

  static lanes quad_of(lanes a) { return a; }
};

}  // namespace

const window_kernels window_scalar = window_loops<window_fours>::table;

}  // namespace hogwild::detail
