// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace hogwild {

/// Where the workers of a run read and write. It follows from the requested sharing (sharing_kind), the engine and the
/// number of workers.
enum class access_kind : std::uint32_t {
  alone,          ///< one worker on an array of its own
  direct,         ///< all workers on one shared array, an update a step
  buffered,       ///< each worker has a replica, and exchanges what it gained with the shared array
  head,           ///< a replica of the popular columns, and a shared tail
  deterministic,  ///< virtual workers add their gains turn by turn: a reproducible run
  gathered,       ///< an array for each worker; the rows' changes are gathered until all workers meet (engines.hpp)
  averaged        ///< an array for each worker; all workers take the mean where they meet
};

/// Whether the workers meet in lockstep, each with arrays of its own.
constexpr bool in_lockstep(access_kind kind) {
  return kind == access_kind::gathered || kind == access_kind::averaged;
}

}  // namespace hogwild
