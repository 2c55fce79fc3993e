// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <thread>

namespace hogwild::bench {

/// Turns SIGINT, SIGTERM and SIGHUP into a request to stop, so that generated data and shared memory are tidied up.
/// Make it before any other thread: it blocks these signals, and threads inherit that. A second signal ends the program
/// at once. What is ignored at the start stays ignored.
class interrupt {
 public:
  interrupt();
  interrupt(const interrupt&) = delete;
  interrupt& operator=(const interrupt&) = delete;

  std::stop_token token() const { return stop_.get_token(); }

 private:
  std::stop_source stop_;
  std::jthread waiter_;
};

/// Throws an error with exit_code::interrupted where a stop was asked for.
void leave_when_asked(const std::stop_token& stop);

}  // namespace hogwild::bench
