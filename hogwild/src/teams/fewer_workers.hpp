// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include <hogwild/error.hpp>

namespace hogwild::detail {

/// Calls `start`, which starts workers. If the system has no threads or processes left, the error also says what a
/// caller that starts workers can do about it.
template <class Start>
decltype(auto) start_workers(Start&& start) {
  try {
    return std::forward<Start>(start)();
  } catch (const resource_error& e) {
    throw resource_error(e.what() + std::string(", or use fewer workers"));
  }
}

}  // namespace hogwild::detail
