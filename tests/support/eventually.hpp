// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <thread>

namespace hogwild::test {

/// Waits until `holds`, at most `limit`. Returns whether it came true.
template <class Condition>
bool eventually(std::chrono::milliseconds limit, const Condition& holds) {
  for (const auto begin = std::chrono::steady_clock::now(); std::chrono::steady_clock::now() - begin < limit;) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return holds();
}

}  // namespace hogwild::test
