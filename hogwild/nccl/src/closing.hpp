// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <hogwild/detail/platform/threads.hpp>

namespace hogwild::nccl {

/// Where the members of one process close what they have of NCCL: at the same time, on a thread each, since each of
/// them waits until all have begun to. Members share it; the last one to let go waits for all.
class closing {
 public:
  /// Ends the life of `what` on a thread, or here where there is none. By any thread.
  template <class T>
  void end(std::unique_ptr<T> what) noexcept {
    try {
      // What waits for others on its way out, here or there, must not keep them from coming in.
      std::jthread ending = start_thread([](const std::unique_ptr<T>&) {}, std::move(what));
      const std::lock_guard lock(mutex_);
      threads_.push_back(std::move(ending));
    } catch (...) {  // no thread, or no memory for one: it has ended
    }
  }

 private:
  std::mutex mutex_;
  std::vector<std::jthread> threads_;
};

}  // namespace hogwild::nccl
