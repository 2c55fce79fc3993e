// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/time_limit.hpp>

#include <algorithm>

#include <hogwild/detail/platform/threads.hpp>

namespace hogwild {

time_limit::time_limit(std::optional<double> seconds, clock::time_point begun, const std::stop_token& asked)
    : by_request_(asked, [this] { ends_.request_stop(); }) {
  if (!seconds) return;
  constexpr double longest = 3.0e9;  // a century, which the clock can represent
  end_ =
      begun + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(std::min(*seconds, longest)));
  if (is_over()) {
    ends_.request_stop();
    return;
  }
  timer_ = start_thread([this](const std::stop_token& gone) {
    std::unique_lock lock(mutex_);
    gone_.wait_until(lock, gone, end_, [] { return false; });
    if (!gone.stop_requested()) ends_.request_stop();
  });
}

}  // namespace hogwild
