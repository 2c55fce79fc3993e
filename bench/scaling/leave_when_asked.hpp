// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include <hogwild/error.hpp>

namespace hogwild::bench {

/// Throws an error with exit_code::interrupted where a stop was asked for.
inline void leave_when_asked(const std::stop_token& stop) {
  if (stop.stop_requested())
    throw error(exit_code::interrupted, "interrupted; what was measured so far is in the record");
}

}  // namespace hogwild::bench
