// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

namespace hogwild {

/// Requests a stop when a run's time is over (train_options::max_seconds). Any thread may call its members.
class time_limit {
 public:
  using clock = std::chrono::steady_clock;

  /// `seconds`: above 0, from `begun` on; none: no limit. `asked`: a further request to stop, which token() passes on.
  /// Throws resource_error if the system has no thread left for it.
  time_limit(std::optional<double> seconds, clock::time_point begun, const std::stop_token& asked = {});
  time_limit(const time_limit&) = delete;
  time_limit& operator=(const time_limit&) = delete;

  /// By the clock: it may be true shortly before token() requests the stop.
  bool is_over() const { return clock::now() >= end_; }
  /// Requests a stop as soon as the time is over or `asked` requests one; at once if the time was over at the
  /// beginning.
  std::stop_token token() const { return ends_.get_token(); }

 private:
  clock::time_point end_ = clock::time_point::max();
  std::stop_source ends_{};
  std::stop_callback<std::function<void()>> by_request_;
  std::mutex mutex_{};
  std::condition_variable_any gone_{};
  std::jthread timer_{};  ///< destroyed first
};

}  // namespace hogwild
