// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace hogwild::test {

/// Runs body(0) .. body(n - 1) on n threads that start together, and returns when all have ended.
template <class Body>
void run_together(std::size_t n, const Body& body) {
  std::atomic<std::size_t> waiting{n};
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < n; ++i) {
    threads.emplace_back([&, i] {
      waiting.fetch_sub(1);
      while (waiting.load() > 0) std::this_thread::yield();
      body(i);
    });
  }
}

}  // namespace hogwild::test
