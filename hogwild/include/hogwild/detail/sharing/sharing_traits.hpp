// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace hogwild {

/// The abilities of a sharing policy, which it states as `traits`. A step asks for them, and for nothing else, so a
/// policy without them does not compile.
struct sharing_traits {
  bool replicated = false;  ///< nobody else writes what the worker reads while it trains
  bool whole_arrays =
      false;               ///< values() hands out the parameters as a span, state_values() the state, if there is one
  bool has_state = false;  ///< state(k) is a view of the optimiser's array k
  /// Changes of rows are gathered, to be summed over all workers (gathered_sharing): reads do not see them before.
  bool gathers = false;
  bool races = false;      ///< workers read and write one array, and an add may be lost
  bool exclusive = false;  ///< an example is atomic: hold(example) locks what it touches

  /// The worker has whole arrays of its own, the optimiser's state among them.
  constexpr bool owns() const { return replicated && whole_state(); }
  constexpr bool whole_state() const { return whole_arrays && has_state; }
};

}  // namespace hogwild
