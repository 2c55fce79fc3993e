// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <stop_token>
#include <thread>

namespace hogwild::cli {

/// Turns SIGINT and SIGTERM into a request to stop. Make it before any other thread is started: it blocks both signals,
/// and threads inherit that; one thread of its own waits for them. While nothing can be saved yet, and at the second
/// signal, the program ends at once.
class interrupt {
 public:
  interrupt();
  interrupt(const interrupt&) = delete;
  interrupt& operator=(const interrupt&) = delete;
  ~interrupt();

  /// From now on the first signal asks instead of ending the program.
  void begin_asking() { asking_ = true; }
  std::stop_token token() const { return stop_.get_token(); }

 private:
  void wait(const std::stop_token& end);

  std::stop_source stop_;
  std::atomic<bool> asking_ = false;
  std::jthread waiter_;
};

}  // namespace hogwild::cli
