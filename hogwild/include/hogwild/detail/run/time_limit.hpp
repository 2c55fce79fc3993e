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

/// Says when a run has had its time (train_options::max_seconds), and asks for its end then. Any thread may ask.
class time_limit {
 public:
  using clock = std::chrono::steady_clock;

  /// Of so many seconds, above 0, since `begun`; of none it is never over. `asked`: what asks for an end besides.
  /// Throws resource_error where there is no thread for it.
  time_limit(std::optional<double> seconds, clock::time_point begun, const std::stop_token& asked = {});
  time_limit(const time_limit&) = delete;
  time_limit& operator=(const time_limit&) = delete;

  /// By the clock, whether or not token() has been heard of it yet.
  bool is_over() const { return clock::now() >= end_; }
  /// A request to stop as soon as it is over, or as somebody else asks; of what is over by now it is there at once.
  std::stop_token token() const { return ends_.get_token(); }

 private:
  clock::time_point end_ = clock::time_point::max();
  std::stop_source ends_{};
  std::stop_callback<std::function<void()>> by_request_;
  std::mutex mutex_{};
  std::condition_variable_any gone_{};
  std::jthread timer_{};  ///< goes first
};

}  // namespace hogwild
