// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

namespace hogwild {

/// Says when a run has had its time (train_options::max_seconds). Any thread may ask.
class time_limit {
 public:
  using clock = std::chrono::steady_clock;

  /// Of so many seconds, above 0, since `begun`; of none it is never over. Throws resource_error where there is no
  /// thread for it.
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
  std::jthread timer_{};  ///< goes first
};

}  // namespace hogwild
