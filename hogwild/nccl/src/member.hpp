// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <hogwild/detail/collectives/collective.hpp>
#include <hogwild/detail/platform/threads.hpp>

#include "functions.hpp"
#include "runtime.hpp"

namespace hogwild::nccl {

/// Closes the NCCL communicators and devices of one process's members at the same time, on a thread each, since each
/// close waits until all have begun. Members share this object; the last one to release it waits for all.
class closing {
 public:
  /// Destroys `what` on a thread, or here if there is no thread for it. Any thread may call it.
  template <class T>
  void end(std::unique_ptr<T> what) noexcept {
    try {
      // A destructor that waits for others must not keep them from entering, so it runs outside the lock.
      std::jthread ending = start_thread([](const std::unique_ptr<T>&) {}, std::move(what));
      const std::lock_guard lock(mutex_);
      threads_.push_back(std::move(ending));
    } catch (...) {  // no thread, or no memory for one: it has been destroyed
    }
  }

 private:
  std::mutex mutex_;
  std::vector<std::jthread> threads_;
};

/// join_nccl_group() on a device that is open already, with functions that outlive the member. Members of one process
/// share `together`, which has closed their communicators and devices by the time the last of them is destroyed.
std::unique_ptr<collective> join(std::unique_ptr<collective> carrier, std::unique_ptr<device::runtime> on,
                                 const functions& with, const collective_options& options,
                                 std::shared_ptr<closing> together = std::make_shared<closing>());

}  // namespace hogwild::nccl
