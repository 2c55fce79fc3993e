// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace hogwild {

/// Where a worker reads and writes.
enum class sharing_kind : std::uint32_t {
  automatic,  ///< what suits the data and the machine: see choose.hpp
  direct,     ///< all on one shared array, an update a step: Hogwild! to the letter
  buffered,   ///< a replica a worker, which exchanges what it gained with the shared array
  head,       ///< a replica of the hot columns, and a shared tail
  alone,      ///< one worker on an array of its own: what the rule may choose, not for users to ask for
  frozen,     ///< virtual workers that add what they gained turn by turn: what `reproducible` chooses
  gathered,   ///< an array a worker; what rows would change is gathered until all workers meet (sync_engine.hpp)
  averaged    ///< an array a worker; all workers take the mean where they meet
};

/// Whether the workers meet in lockstep, each with arrays of its own.
constexpr bool in_lockstep(sharing_kind kind) {
  return kind == sharing_kind::gathered || kind == sharing_kind::averaged;
}

}  // namespace hogwild
