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

/// What the system says of the threads of a process together. A thread that waits for helpers (of a BLAS, of oneTBB, of
/// OpenMP) sleeps, and its process computes all the same.
struct process_activity {
  std::uint64_t cpu_ticks = 0;  ///< spent by the threads that are there; falls where one has ended
  bool runs = false;            ///< one of them computes, or waits for a CPU
  bool waits_for_disk = false;  ///< or for a page of memory, one of them

  /// Of all threads but `except`. Nothing where there is no such process, or where it cannot be looked at.
  static std::optional<process_activity> of(pid_t process, pid_t except);
};

}  // namespace hogwild
