// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/classes/loops.hpp"
#include "kernels/cut/loops.hpp"
#include "kernels/embedding/loops.hpp"
#include "kernels/field/loops.hpp"
#include "kernels/fm/loops.hpp"
#include "kernels/halves/loops.hpp"
#include "kernels/instruction_sets.hpp"
#include "kernels/lane/loops.hpp"
#include "kernels/margin/loops.hpp"

// The loops of all families whose kernels fuse nothing. A source of each instruction set includes them, with a type of
// its own that says how the set reads values: then no two sources share a function.

namespace hogwild::detail {

template <template <class, class> class Kernels, template <class, class, class> class Loops, class Isa>
constexpr row_kernel_set<Kernels> for_all_rows() {
  return {&Loops<Isa, std::uint32_t, float>::table, &Loops<Isa, std::uint32_t, half>::table,
          &Loops<Isa, std::uint16_t, float>::table, &Loops<Isa, std::uint16_t, half>::table};
}

template <class Isa, class Index, class Value>
using float_fm_loops = fm_loops<Isa, float, Index, Value>;
template <class Isa, class Index, class Value>
using half_fm_loops = fm_loops<Isa, half, Index, Value>;

/// Isa has all members that the loops of the families use. Margin kernels take MarginIsa instead, and `Cuts` has the
/// loops of cuts.
template <class Isa, class MarginIsa = Isa, class Cuts = cut_loops>
constexpr unfused_kernels unfused_kernels_of() {
  return {.margin = for_all_rows<margin_kernels, margin_loops, MarginIsa>(),
          .lane = for_all_rows<lane_kernels, lane_loops, Isa>(),
          .classes = for_all_rows<class_row_kernels, class_loops, Isa>(),
          .machine = for_all_rows<fm_row_kernels, float_fm_loops, Isa>(),
          .half_fm = for_all_rows<half_fm_row_kernels, half_fm_loops, Isa>(),
          .field = field_loops<Isa, float>::table,
          .half_field = field_loops<Isa, half>::table,
          .cut = Cuts::table,
          .halves = half_loops<Isa>::table,
          .embedding = embedding_loops<Isa>::table};
}

}  // namespace hogwild::detail
