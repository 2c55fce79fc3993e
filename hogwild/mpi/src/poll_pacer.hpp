// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

#include <hogwild/detail/platform/machine.hpp>

namespace hogwild::detail {

/// Naps between looks for messages, of one wait by one thread: MPI tells of a message only whom asks. The dearer a look
/// is, the longer is the nap: a look at sockets takes ten times what one at memory does, and on a rank that gets little
/// CPU time looks would take most of it. But beyond the shortest one no nap adds more than a
/// quarter to what was waited before.
class poll_pacer {
 public:
  /// Short beside the way of a message between machines.
  static constexpr std::chrono::nanoseconds shortest = std::chrono::microseconds(50);

  void nap() {
    const auto now = thread_cpu_time();
    const std::chrono::nanoseconds waited = std::chrono::steady_clock::now() - begin_;
    std::this_thread::sleep_for(std::clamp(std::min(naps_per_look * (now - before_), waited / 4), shortest, longest));
    before_ = now;
  }

 private:
  static constexpr int naps_per_look = 30;  ///< what looks take of a CPU, at most
  static constexpr std::chrono::nanoseconds longest = std::chrono::milliseconds(1);

  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::chrono::nanoseconds before_ = thread_cpu_time();
};

/// Whether this thread has a CPU for itself: seen while it looks without a nap.
class cpu_gauge {
 public:
  /// Others have run where this thread would have, or its control group has used up its time.
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
