// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <future>
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

/// Calls act() on another thread, and returns when it has ended: whether that was within `limit`, in which a standstill
/// of the machine does not count. Throws what act() throws.
template <class Act>
bool ends_within(std::chrono::milliseconds limit, const Act& act) {
  std::future<void> actor = std::async(std::launch::async, act);
  const bool in_time =
      eventually(limit, [&] { return actor.wait_for(std::chrono::seconds(0)) == std::future_status::ready; });
  actor.get();
  return in_time;
}

}  // namespace hogwild::test
