// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

#include <hogwild/detail/platform/machine.hpp>

namespace hogwild::detail {

/// Sleeps between polls for messages, for one wait by one thread: MPI reports a message only when asked. The more
/// expensive a poll is, the longer is the sleep: a poll of sockets takes ten times as long as one of memory, and on a
/// rank that gets little CPU time polls would take most of it. But no sleep beyond the shortest adds more than a
/// quarter to the time waited so far.
class poll_pacer {
 public:
  /// Short compared with the time of a message between machines.
  static constexpr std::chrono::nanoseconds shortest = std::chrono::microseconds(50);

  void nap() {
    const auto now = thread_cpu_time();
    const std::chrono::nanoseconds waited = std::chrono::steady_clock::now() - begin_;
    std::this_thread::sleep_for(std::clamp(std::min(naps_per_look * (now - before_), waited / 4), shortest, longest));
    before_ = now;
  }

 private:
  static constexpr int naps_per_look = 30;  ///< bounds the polls' share of a CPU
  static constexpr std::chrono::nanoseconds longest = std::chrono::milliseconds(1);

  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::chrono::nanoseconds before_ = thread_cpu_time();
};

/// Whether this thread has a CPU of its own, measured while it polls without sleeping.
class cpu_gauge {
 public:
  /// Other threads have run on its CPU, or its control group has used up its time.
  bool is_crowded() const {
    const std::chrono::nanoseconds waited = std::chrono::steady_clock::now() - begin_;
    const auto without_cpu = waited - (thread_cpu_time() - cpu_);
    return without_cpu > least && without_cpu > waited / 4;
  }

 private:
  static constexpr std::chrono::nanoseconds least = std::chrono::microseconds(300);

  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::chrono::nanoseconds cpu_ = thread_cpu_time();
};

}  // namespace hogwild::detail
