// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <hogwild/engines.hpp>

namespace hogwild {

/// Who the ranks of a synchronous run are.
enum class sync_transport {
  in_process,     ///< threads of this process
  shared_segment  ///< worker processes on one segment: the program calls worker_main first, as for process_engine
};

/// To what end the workers of a synchronous engine meet.
enum class sync_rule { gradients, average };

/// Synchronous training, the baseline for everything that goes without waiting. Each worker is a rank with parameters
/// of its own and a fixed part of the rows; after every so many rows of each all ranks meet (collective.hpp) and go on
/// with the same parameters, to the bit, which is checked after each round. So a run repeats to the bit, too; it does
/// depend on the number of workers.
///
///   gradients: all rows between two meetings see the same parameters; w += scale * mean over all rows of what each
///              would change (mini-batch descent by all-reduce)
///   average:   each rank makes steps of its own in between (local SGD); w = mean over ranks, weighted by their rows
struct sync_engine {
  std::size_t workers = 0;  ///< 0: as many as this process may use (topology.hpp)
  sync_rule rule = sync_rule::gradients;
  std::size_t rows = 64;    ///< of each rank between two meetings, at least 1
  bool scale_step = false;  ///< gradients: the step times the number of ranks, as for a batch that grows with them
  bool pin = true;          ///< one CPU for each rank, where there are as many
  sync_transport transport = sync_transport::in_process;
  std::string program{};  ///< what to spawn as a rank; empty: this very program
  std::vector<std::string> arguments{};
  /// How long ranks wait for one that is not there before the run ends with worker_error.
  double patience_seconds = 30.0;
  /// Several processes, on one machine or several: all their ranks. Each has as many workers (threads), all of which
  /// are ranks of one run then. Outlives the run.
  collective* ranks = nullptr;
};

/// Throws config_error where no rows are between two meetings, where the patience is none, and for options that do not
/// go with meetings.
std::size_t plan_sharing(const sync_engine& engine, run_planner& run);
std::unique_ptr<crew> hire(const sync_engine& engine, const job& task, const loop_plan& plan,
                           const note_function& note);

}  // namespace hogwild
