// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

namespace hogwild {

/// How a process ended.
struct exit_status {
  int code = 0;          ///< its exit code; meaningless if a signal ended it
  int signal = 0;        ///< the signal that ended it, or 0
  bool unknown = false;  ///< another part of this program collected the status (wait(), or SIGCHLD ignored)

  bool success() const { return code == 0 && signal == 0 && !unknown; }
  /// "ended with code 3", "was killed by signal 9 (Killed)".
  std::string describe() const;
};

/// A process that spawn() started. Destroying the handle of a running child kills it and waits for its end, so that
/// every path out of a function leaves no process behind; run_cleanup_handlers() kills it as well. One thread at a time
/// may use a handle.
class child_process {
 public:
  child_process(child_process&&) noexcept;
  child_process& operator=(child_process&&) noexcept;
  ~child_process();

  pid_t pid() const noexcept;
  /// A descriptor that becomes readable when the child ends, for poll(); -1 if the kernel has none (before 5.3).
  int pidfd() const noexcept;

  /// How it ended, or nothing while it runs. Never waits. Once ended, always the same answer.
  std::optional<exit_status> poll_exit();
  /// Waits for its end, at most `timeout`.
  std::optional<exit_status> wait_for(std::chrono::nanoseconds timeout);
  /// Sends a signal; false if the child has ended. Never reaches another process that got its number.
  bool kill(int signal);

 private:
  struct state;
  explicit child_process(std::unique_ptr<state> s) noexcept;
  friend child_process spawn(const std::string&, const std::vector<std::string>&,
                             const std::vector<std::pair<std::string, std::string>>&);
  std::unique_ptr<state> state_;
};

/// Starts `program` (a path; PATH is not searched) with `arguments` (without the program's name) in a new process. Its
/// environment is this one with `environment` added or replaced. Its standard input is empty, output and error are this
/// process's, and every other descriptor is closed. All signals are at their defaults and none is blocked. Throws
/// resource_error if it cannot be started. Nobody may change this process's environment meanwhile.
child_process spawn(const std::string& program, const std::vector<std::string>& arguments,
                    const std::vector<std::pair<std::string, std::string>>& environment = {});

/// The CPU time, user and system, of all threads of all children that spawn() has started in this process so far,
/// whether they still run or have been waited for. Any thread may call it. Excludes children that another part of the
/// program has waited for.
std::chrono::nanoseconds children_cpu_time();

/// A path under /proc by which spawn() starts this very program, even if its file was replaced or removed since. Valid
/// as long as this process lives. Throws resource_error if /proc is not mounted.
std::string this_program();

}  // namespace hogwild
