// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include <hogwild/detail/control/futex.hpp>

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

}  // namespace hogwild
