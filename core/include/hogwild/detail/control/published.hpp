// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include <hogwild/detail/control/std_atomics.hpp>
#include <hogwild/detail/platform/thread_sanitizer.hpp>

namespace hogwild {

/// A number that one worker writes and anybody reads: telemetry and progress. It never signals that other data are
/// ready.
template <class T, class Atomics = std_atomics>
struct published {
  static_assert(std::atomic<T>::is_always_lock_free, "slots are shared across processes");
  typename Atomics::template atomic<T> value;

  T get() const noexcept { return value.load(std::memory_order_relaxed); }
  void set(T x) noexcept { value.store(x, std::memory_order_relaxed); }
  /// Called by the one writer only: this is not an atomic add.
  void raise(T by) noexcept { set(static_cast<T>(get() + by)); }
};

/// Orders earlier reads before later ones. Left out under ThreadSanitizer, which does not support fences: it watches
/// threads, and only processes need this.
inline void order_earlier_reads() noexcept {
#if !defined(HOGWILD_THREAD_SANITIZER)
  std::atomic_thread_fence(std::memory_order_acquire);
#endif
}

}  // namespace hogwild
