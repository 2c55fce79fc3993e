// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdint>
#include <ctime>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

// Sleeping on a word that several processes map. std::atomic::wait works within one process only: libstdc++ uses
// private futexes and a table of waiters in the process's own memory.

namespace hogwild {

static_assert(sizeof(std::atomic<std::uint32_t>) == 4 && std::atomic<std::uint32_t>::is_always_lock_free);

enum class futex_result {
  woken,     ///< by futex_wake, or spuriously: look at the word again
  changed,   ///< the word did not hold `expected`
  timed_out  ///< nobody woke us in time
};

/// Sleeps while `word` holds `expected`, until futex_wake in any process, or for at most `timeout` (not at all unless
/// it is positive); signals do not end the sleep. Orders nothing: load the word with acquire afterwards. The word must
/// lie in memory that the caller may write.
inline futex_result futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected,
                               std::chrono::nanoseconds timeout) {
  using namespace std::chrono;
  // An absolute deadline, so that signals do not prolong the sleep. A year is practically for ever and cannot overflow.
  const auto span = std::clamp<nanoseconds>(timeout, nanoseconds(0), hours(24 * 365));
  const nanoseconds until = steady_clock::now().time_since_epoch() + span;
  const timespec deadline{.tv_sec = static_cast<time_t>(until.count() / 1'000'000'000),
                          .tv_nsec = static_cast<long>(until.count() % 1'000'000'000)};
  for (;;) {
    const long rc =
        ::syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, expected, &deadline, nullptr, FUTEX_BITSET_MATCH_ANY);
    if (rc == 0) return futex_result::woken;
    if (errno == EAGAIN) return futex_result::changed;
    if (errno == ETIMEDOUT) return futex_result::timed_out;
    if (errno != EINTR) return futex_result::woken;  // cannot happen for a mapped word; the caller looks again
  }
}

/// Wakes at most `count` sleepers on `word`, in any process, and returns how many it woke. Store the word first.
inline int futex_wake(const std::atomic<std::uint32_t>& word, int count) {
  return static_cast<int>(::syscall(SYS_futex, &word, FUTEX_WAKE, count, nullptr, nullptr, 0));
}

inline int futex_wake_all(const std::atomic<std::uint32_t>& word) {
  return futex_wake(word, INT_MAX);
}

}  // namespace hogwild
