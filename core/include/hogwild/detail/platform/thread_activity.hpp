// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include <sys/types.h>

namespace hogwild {

/// The state of a thread, of this process or of another one, as the system reports it.
struct thread_activity {
  char state = '\0';            ///< as in /proc: R, S, D, T, ...
  std::uint64_t cpu_ticks = 0;  ///< spent so far; there are sysconf(_SC_CLK_TCK) in a second

  /// Stopped by a signal, or by a debugger.
  bool is_stopped() const { return state == 'T' || state == 't'; }
  /// It computes, waits for a CPU, or waits for a disk or a page of memory: it cannot be faster.
  bool is_at_work() const { return state == 'R' || state == 'D'; }

  /// Nothing if there is no such thread, or if it cannot be looked at, for instance because no descriptor is left.
  static std::optional<thread_activity> of(pid_t process, pid_t thread);
};

/// The state of all threads of a process, as the system reports it. A thread that waits for helpers (of a BLAS, of
/// oneTBB, of OpenMP) sleeps although its process computes.
struct process_activity {
  std::uint64_t cpu_ticks = 0;  ///< spent by the present threads; falls when one has ended
  bool runs = false;            ///< one of them computes, or waits for a CPU
  bool waits_for_disk = false;  ///< one of them waits for a disk or a page of memory

  /// For all threads except `except`. Nothing if there is no such process, or if it cannot be looked at.
  static std::optional<process_activity> of(pid_t process, pid_t except);
};

}  // namespace hogwild
