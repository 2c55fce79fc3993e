// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include <hogwild/option_values.hpp>

namespace hogwild {

/// The arrays that an optimiser's rule changes: the parameters, and state_arrays_of() its kind, as long as these, or
/// with a number for each row of them. A rule is a struct with
///
///   kind                                 its row in the table of optimisers
///   block(arrays, offset, g, size)       changes the run of parameters from `offset` on by their partials g, or
///   row(arrays, offset, state, g, size)  the same if it has one number for the run, which is at `state`
///   settle(arrays, offset, n, steps, size)  if it fades: the effect of so many blocks of n zeros
///
/// It reads state once and changes it by adds, so that any number of workers may do so at the same time, and replicas
/// may exchange it. Adds that are lost, applied twice or rounded may leave state outside the bounds that arithmetic
/// gives it (a sum below zero); a rule uses the bound instead. `View` is a param_view, a split_view or a
/// gathering_view.
template <class View>
struct rule_arrays {
  using T = typename View::value_type;
  static constexpr std::size_t piece = 256;
  using room = std::array<T, piece>;  ///< for a piece of a run

  optimizer_constants constants;
  View w;
  std::array<View, 3> state;

  /// Calls body(offset, part of g) for pieces of a run.
  template <class Body>
  static void in_pieces(std::size_t offset, std::span<const T> g, const Body& body) {
    for (std::size_t i = 0; i < g.size(); i += piece) body(offset + i, g.subspan(i, std::min(piece, g.size() - i)));
  }
};

}  // namespace hogwild
