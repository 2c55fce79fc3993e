// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <hogwild/engines.hpp>
#include <hogwild/worker_decorators.hpp>

namespace hogwild {

/// Synchronous training, the baseline for everything that goes without waiting. Each worker is a rank with parameters
/// of its own and a fixed part of the rows; after every so many rows of each all ranks meet (collective.hpp) and go on
/// with the same parameters, to the bit, which is checked after each round. So a run repeats to the bit, too; it does
/// depend on the number of workers.
///
///   gradients: all rows between two meetings see the same parameters; w += scale * mean over all rows of what each
///              would change (mini-batch descent by all-reduce)
///   average:   each rank makes steps of its own in between (local SGD); w = mean over ranks, weighted by their rows
///
/// Where the rule is known beforehand, all_reduce_engine and local_sgd_engine say it by their names.
struct sync_engine {
  std::optional<std::size_t> workers{};  ///< > 0; default: as many as this process may use (topology.hpp)
  sync_rule rule = sync_rule::gradients;
  std::size_t rows = 64;    ///< of each rank between two meetings, at least 1
  bool scale_step = false;  ///< gradients: the step times the number of ranks, as for a batch that grows with them
  transport_kind transport = transport_kind::in_process;
  bool pin = true;                       ///< one CPU for each rank, where there are as many
  std::string program{};                 ///< of processes: see process_engine
  std::vector<std::string> arguments{};  ///< of processes
  /// Several processes, on one machine or several: all their ranks. Each has as many workers (threads), all of which
  /// are ranks of one run then. Outlives the run.
  collective* ranks = nullptr;
  /// How long ranks wait for one that is not there before the run ends with worker_error; at most 1,000,000 seconds.
  std::chrono::nanoseconds timeout = std::chrono::seconds(30);
};

/// A sync_engine of one rule, with the same members.
template <sync_rule Rule>
struct sync_engine_of {
  std::optional<std::size_t> workers{};
  std::size_t rows = 64;
  bool scale_step = false;
  transport_kind transport = transport_kind::in_process;
  bool pin = true;
  std::string program{};
  std::vector<std::string> arguments{};
  collective* ranks = nullptr;
  std::chrono::nanoseconds timeout = std::chrono::seconds(30);

  operator sync_engine() const {
    return {workers, Rule, rows, scale_step, transport, pin, program, arguments, ranks, timeout};
  }
};
using all_reduce_engine = sync_engine_of<sync_rule::gradients>;
using local_sgd_engine = sync_engine_of<sync_rule::average>;

/// Throws config_error where no rows are between two meetings, where the timeout is none, and for options that do not
/// go with meetings.
std::size_t plan_sharing(const sync_engine& engine, run_planner& run);
std::unique_ptr<engine_run> start(const sync_engine& engine, const training_task& task, const loop_plan& plan,
                                  const note_function& note);

namespace detail {
std::unique_ptr<training_task> as_rank(std::unique_ptr<training_task> whole, const joined_worker& place);
}  // namespace detail

/// What worker processes of a synchronous run are called in its segment.
inline constexpr std::string_view lockstep_workers = "synchronous";
inline const worker_decoration lockstep_decoration{lockstep_workers, detail::as_rank};

}  // namespace hogwild
