// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>

#include <hogwild/detail/platform/process_identity.hpp>

namespace hogwild {

/// Notices the end of a process that is not our child; a worker watches its supervisor with it. Uses a pidfd if the
/// kernel has them (noticed at once), else the identity in /proc. Any number of threads may use it.
class process_watch {
 public:
  explicit process_watch(const process_identity& who);
  process_watch(process_watch&&) noexcept;
  process_watch& operator=(process_watch&&) noexcept;
  ~process_watch();

  const process_identity& who() const;
  /// Whether a descriptor of this very process is held: then ended() cannot be mistaken, and kill() reaches no other
  /// process.
  bool certain() const;
  /// True once the process has ended (a zombie has). One system call; never waits.
  bool ended() const;
  /// Waits for its end, at most `timeout`; true if it has ended.
  bool wait_for(std::chrono::nanoseconds timeout) const;
  /// Sends a signal; false if the process has ended, or the signal is not permitted.
  bool kill(int signal) const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace hogwild
