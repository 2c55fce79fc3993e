// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <hogwild/option_values.hpp>

namespace hogwild {

/// CPUs that the workers of a run may use, ascending. If OMP_PROC_BIND is set, the OpenMP library has bound the
/// program's first thread to one CPU before main(), and threads and processes that it starts inherit that; then
/// OpenMP's places count, else the affinity mask.
std::vector<int> allowed_cpus();

/// Whether OMP_PROC_BIND has the OpenMP library bind the threads of its teams.
bool openmp_binds();

/// How many workers a run has: `asked`, or by default as many as CPUs and quota grant (default_workers). Throws
/// config_error if that is none, or more than one run can have.
std::size_t worker_count(std::optional<std::size_t> asked = {});

/// How many of `asked` threads the library grants the calling thread at most. OpenMP grants only the calling thread
/// itself within a parallel region if it does not nest regions, and never more than OMP_THREAD_LIMIT.
std::size_t grantable(thread_team_kind kind, std::size_t asked);

/// Threads that run one function together, repeatedly. Two callers must not use a team at once.
class thread_team {
 public:
  virtual ~thread_team() = default;

  /// `workers` threads >= 1; `pin` binds each std thread to a CPU of its own (OpenMP binds by OMP_PLACES and
  /// OMP_PROC_BIND, oneTBB leaves it to the system). Worker 0 of a std team is the caller, which is never bound. In
  /// builds with ThreadSanitizer all teams are std ones. Throws resource_error if the system has no threads left.
  static std::unique_ptr<thread_team> make(thread_team_kind kind, std::size_t workers, bool pin);

  virtual std::size_t size() const = 0;

  /// Runs body(0) .. body(granted - 1), each once, and returns when all have ended; the library granted `granted` <=
  /// size(). The first exception that a body throws is thrown here, after all have ended. Throws resource_error if the
  /// system has no threads left for OpenMP.
  std::size_t run(const std::function<void(std::size_t)>& body);

 private:
  virtual std::size_t run_all(const std::function<void(std::size_t)>& body) = 0;
};

}  // namespace hogwild
