// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include <sys/types.h>

namespace hogwild {

/// What the system says of a thread, of this process or of another one.
struct thread_activity {
  char state = '\0';            ///< as /proc tells it: R, S, D, T, ...
  std::uint64_t cpu_ticks = 0;  ///< spent so far; sysconf(_SC_CLK_TCK) make a second

  /// By a signal, or by a debugger.
  bool is_stopped() const { return state == 'T' || state == 't'; }
  /// It computes, waits for a CPU, or waits for a disk or a page of memory: nothing that it could hurry.
  bool is_at_work() const { return state == 'R' || state == 'D'; }

  /// Nothing where there is no such thread, or where it cannot be looked at, for want of a descriptor, say.
  static std::optional<thread_activity> of(pid_t process, pid_t thread);
};

}  // namespace hogwild
