// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cerrno>
#include <chrono>

#include <poll.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "platform/unique_fd.hpp"

namespace hogwild::detail {

/// Empty if the process does not exist or the kernel has no pidfds; always close-on-exec.
inline unique_fd open_pidfd(pid_t pid) {
  return unique_fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0u)));
}

/// Waits until the process behind `pidfd` has ended, at most until `deadline`; true if it has.
inline bool ended_by(int pidfd, std::chrono::steady_clock::time_point deadline) {
  using namespace std::chrono;
  for (;;) {
    const auto left = ceil<milliseconds>(deadline - steady_clock::now());
    pollfd ready{.fd = pidfd, .events = POLLIN, .revents = 0};
    const int rc = ::poll(&ready, 1, static_cast<int>(std::clamp<milliseconds::rep>(left.count(), 0, 60'000)));
    if (rc > 0) return true;
    if (left.count() <= 0) return false;
  }
}

/// now + timeout without overflow.
inline std::chrono::steady_clock::time_point deadline_after(std::chrono::nanoseconds timeout) {
  return std::chrono::steady_clock::now() + std::min<std::chrono::nanoseconds>(timeout, std::chrono::hours(24 * 365));
}

/// Without pidfds: polls at growing intervals, 1 ms to 16 ms, until `ended()` or the deadline.
template <class Ended>
bool poll_until(std::chrono::steady_clock::time_point deadline, Ended ended) {
  using namespace std::chrono;
  for (int pause = 1000;; pause = std::min(2 * pause, 16'000)) {
    if (ended()) return true;
    const auto left = ceil<microseconds>(deadline - steady_clock::now()).count();
    if (left <= 0) return false;
    ::usleep(static_cast<useconds_t>(std::min<microseconds::rep>(left, pause)));
  }
}

}  // namespace hogwild::detail
