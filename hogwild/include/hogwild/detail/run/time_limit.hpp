// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

namespace hogwild {

/// Requests a stop when a run's time is over (train_options::max_seconds). Any thread may ask.
class time_limit {
 public:
  using clock = std::chrono::steady_clock;

  /// `seconds`: above 0, from `begun` on; none: no limit. Throws resource_error if the system has no thread left for
  /// it.
  time_limit(std::optional<double> seconds, clock::time_point begun);
  time_limit(const time_limit&) = delete;
  time_limit& operator=(const time_limit&) = delete;

  bool is_over() const { return over_.stop_requested(); }
  /// A request to stop as soon as it is over.
  std::stop_token token() const { return over_.get_token(); }

 private:
  std::stop_source over_;
  std::mutex mutex_;
  std::condition_variable_any ends_;
  std::jthread timer_{};  ///< destroyed first
};

}  // namespace hogwild
