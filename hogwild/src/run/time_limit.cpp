// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/time_limit.hpp>

#include <algorithm>

#include <hogwild/detail/platform/threads.hpp>

namespace hogwild {

time_limit::time_limit(std::optional<double> seconds, clock::time_point begun) {
  if (!seconds) return;
  constexpr double longest = 3.0e9;  // a century, which the clock can represent
  const auto end =
      begun + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(std::min(*seconds, longest)));
  timer_ = start_thread([this, end](const std::stop_token& gone) {
    std::unique_lock lock(mutex_);
    ends_.wait_until(lock, gone, end, [] { return false; });
    if (!gone.stop_requested()) over_.request_stop();
  });
}

}  // namespace hogwild
