// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include <hogwild/error.hpp>

namespace hogwild::detail {

/// What `start` gives, which starts workers. Where the system has no threads or processes left for them, the error says
/// besides what only those can do who start workers.
template <class Start>
decltype(auto) start_workers(Start&& start) {
  try {
    return std::forward<Start>(start)();
  } catch (const resource_error& e) {
    throw resource_error(e.what() + std::string(", or use fewer workers"));
  }
}

}  // namespace hogwild::detail
