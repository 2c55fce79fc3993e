// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>

#include <hogwild/detail/platform/process_identity.hpp>

namespace hogwild {

/// Notices the end of a process that is not our child: a worker watches its supervisor with it. Uses a pidfd where the
/// kernel has them (seen at once), the identity in /proc elsewhere. Any number of threads may ask.
class process_watch {
 public:
  explicit process_watch(const process_identity& who);
  process_watch(process_watch&&) noexcept;
  process_watch& operator=(process_watch&&) noexcept;
  ~process_watch();

  const process_identity& who() const;
  /// Whether a descriptor of the very process is held: then ended() cannot be mistaken, and kill() reaches no stranger.
  bool certain() const;
  /// True once the process has ended (a zombie has). One system call; never waits.
  bool ended() const;
  /// Waits for its end, at most `timeout`; true where it has ended.
  bool wait_for(std::chrono::nanoseconds timeout) const;
  /// Sends a signal; false where the process has ended, or it may not be sent.
  bool kill(int signal) const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace hogwild
