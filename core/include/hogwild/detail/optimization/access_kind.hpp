// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace hogwild {

/// Where the workers of a run read and write: what comes of the sharing that was asked for (sharing_kind), of the
/// engine and of the number of workers.
enum class access_kind : std::uint32_t {
  alone,          ///< one worker on an array of its own
  direct,         ///< all on one shared array, an update a step
  buffered,       ///< a replica a worker, which exchanges what it gained with the shared array
  head,           ///< a replica of the hot columns, and a shared tail
  deterministic,  ///< virtual workers that add what they gained turn by turn: a reproducible run
  gathered,       ///< an array a worker; what rows would change is gathered until all workers meet (engines.hpp)
  averaged        ///< an array a worker; all workers take the mean where they meet
};

/// Whether the workers meet in lockstep, each with arrays of its own.
constexpr bool in_lockstep(access_kind kind) {
  return kind == access_kind::gathered || kind == access_kind::averaged;
}

}  // namespace hogwild
