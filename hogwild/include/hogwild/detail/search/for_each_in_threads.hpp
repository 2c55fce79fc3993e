// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include <hogwild/detail/platform/threads.hpp>

namespace hogwild::detail {

/// Calls work(k) for each k below `count`, in several threads. The first exception ends the loop and is thrown here.
template <class Work>
void for_each_in_threads(std::size_t count, std::size_t threads, const Work& work) {
  std::atomic<std::size_t> next = 0;
  std::exception_ptr failed;
  std::mutex failing;
  const auto run = [&] {
    for (std::size_t k; (k = next++) < count;) {
      try {
        work(k);
      } catch (...) {
        next = count;
        const std::lock_guard lock(failing);
        if (!failed) failed = std::current_exception();
      }
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < std::min(threads, count); ++i) others.push_back(start_thread(run));
    run();
  }
  if (failed) std::rethrow_exception(failed);
}

}  // namespace hogwild::detail
