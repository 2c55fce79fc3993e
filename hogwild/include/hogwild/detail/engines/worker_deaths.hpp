// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include <sys/types.h>

#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/platform/child_process.hpp>
#include <hogwild/detail/platform/failure.hpp>

namespace hogwild {

/// How a worker process ended, and what it was doing.
struct worker_death {
  std::string who{};
  exit_status status{};
  bool joined = false;  ///< whether it had joined before it ended
  bool drove_device = false;
  std::uint64_t held = 0;          ///< its ticket + 1; 0 for none
  std::optional<failure> said{};   ///< why it failed
  std::uint64_t epoch = 0;         ///< of the run
  std::uint64_t chunks_begun = 0;  ///< by all workers of the run so far
};

/// Decides which deaths of worker processes end a run. A worker that fails by itself fails again, so three such deaths
/// for the same cause end the run. A device whose process fails gets one more process, since a fault in a kernel ruins
/// the process that drove it; a new process takes long to start, and fails again if the fault is the model's or the
/// device's. A run tolerates workers that are killed from outside; only an unlikely number of them for the same cause
/// ends it. Used by one thread.
class worker_deaths {
 public:
  void begin_pass() { chunk_failures_.clear(); }
  void worker_joined() { failed_starts_ = 0; }
  /// Throws if the run has to end: an error of the kind that the worker threw if it reported one, else worker_error.
  void add(const worker_death& last);

 private:
  std::map<std::uint64_t, int> chunk_failures_;  ///< by ticket in this pass
  int failed_starts_ = 0;                        ///< since somebody joined
  bool device_failed_ = false;                   ///< in this run
  int weight_without_progress_ = 0;              ///< since a chunk was begun
  std::uint64_t begun_before_ = 0;
};

/// Ends a run of `ranks` in lockstep in which the rank in `slot`, process `pid`, has ended: nobody can take its place,
/// for its parameters are gone. Throws the error of the first rank that failed by itself.
[[noreturn]] void throw_lost_rank(const param_store& store, std::size_t ranks, std::size_t slot, pid_t pid,
                                  const exit_status& status);

}  // namespace hogwild
