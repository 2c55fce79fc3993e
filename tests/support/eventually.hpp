// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <thread>

#include <hogwild/detail/platform/wait_limit.hpp>

namespace hogwild::test {

/// Waits until `holds`, at most `limit`, in which a standstill of the machine does not count. Returns whether it came
/// true.
template <class Condition>
bool eventually(std::chrono::milliseconds limit, const Condition& holds) {
  for (detail::wait_limit left(limit); !left.passed();) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return holds();
}

}  // namespace hogwild::test
