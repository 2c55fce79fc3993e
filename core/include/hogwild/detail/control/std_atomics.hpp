// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include <hogwild/detail/control/futex.hpp>

namespace hogwild {

/// Tells the CPU that this is a loop around a word that somebody else will write.
inline void relax_cpu() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

/// What control words are made of, and how a worker waits for one of them to change. The headers of this folder are
/// templates over it, because a model checker puts its own in its place, and so runs them under every schedule.
struct std_atomics {
  template <class T>
  using atomic = std::atomic<T>;
  template <class T>
  using atomic_ref = std::atomic_ref<T>;

  /// How often a waiter looks at a word before it does something that costs more; a model checker's looks once.
  static constexpr std::uint32_t looks(std::uint32_t usual) noexcept { return usual; }
  /// Between two of those looks: keeps the CPU after the first `spins` of them, gives it away after the others.
  static void relax(std::uint32_t look, std::uint32_t spins) noexcept {
    if (look < spins)
      relax_cpu();
    else
      std::this_thread::yield();
  }
  /// In a loop that ends only when somebody else writes.
  static void yield() noexcept { std::this_thread::yield(); }

  static void wait(const std::atomic<std::uint32_t>& word, std::uint32_t seen,
                   std::chrono::nanoseconds timeout) noexcept {
    futex_wait(word, seen, timeout);
  }
  static void wake_all(const std::atomic<std::uint32_t>& word) noexcept { futex_wake_all(word); }
};

}  // namespace hogwild
