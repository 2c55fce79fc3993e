// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include <hogwild/detail/control/futex.hpp>
#include <hogwild/detail/platform/thread_sanitizer.hpp>

namespace hogwild {

/// Tells the CPU that this loop waits for a word that another worker will write.
inline void relax_cpu() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

/// The atomics that control words are made of, and how a worker waits for one of them to change. The headers of this
/// folder are templates over this type, so that a model checker can replace it and run them under every schedule.
struct std_atomics {
  template <class T>
  using atomic = std::atomic<T>;
  template <class T>
  using atomic_ref = std::atomic_ref<T>;

  /// How often a waiter looks at a word before it does something more expensive; under a model checker once.
  static constexpr std::uint32_t looks(std::uint32_t usual) noexcept { return usual; }
  /// Called between two looks: keeps the CPU for the first `spins` of them, and yields it after the others.
  static void relax(std::uint32_t look, std::uint32_t spins) noexcept {
    if (look < spins)
      relax_cpu();
    else
      std::this_thread::yield();
  }
  /// For loops that end only when another worker writes.
  static void yield() noexcept { std::this_thread::yield(); }

  static void wait(const std::atomic<std::uint32_t>& word, std::uint32_t seen,
                   std::chrono::nanoseconds timeout) noexcept {
    futex_wait(word, seen, timeout);
  }
  static void wake_all(const std::atomic<std::uint32_t>& word) noexcept { futex_wake_all(word); }
};

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
