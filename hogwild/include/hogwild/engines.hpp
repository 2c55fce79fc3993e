// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/detail/engines/engine_run.hpp>
#include <hogwild/detail/engines/thread_team.hpp>
#include <hogwild/detail/engines/worker_decorators.hpp>

// Who runs the worker loop. An engine is a plain struct of options with two functions: plan_sharing(engine, run)
// decides where its workers read and write, and says how many there will be; start(engine, task, plan, note) turns it
// into the engine's run that trains the task by the plan. An engine with several workers has a member `workers`.

namespace hogwild {

class collective;
class training_task;
class agreement;
struct loop_plan;
class run_planner;

/// Takes the notes of an engine's run while it works.
using note_function = std::function<void(std::string_view)>;

/// One worker, in the calling thread: the reference for all others.
struct serial_engine {};

/// Workers are threads of this process.
struct thread_engine {
  std::optional<std::size_t> workers{};              ///< > 0; default: as many as this process may use (topology.hpp)
  thread_team_kind team = thread_team_kind::openmp;  ///< the library of their threads
  bool pin = true;  ///< one CPU for each std thread; OpenMP follows OMP_PLACES and OMP_PROC_BIND
  storage_kind storage = storage_kind::single;  ///< of the factors of factorization_machine and ffm in replicas
  /// Parameters lie in a segment of this name ("hogwild-" and more, taken by nobody), where live_parameters of other
  /// processes read them; empty: in private memory.
  std::string segment{};
};

std::size_t plan_sharing(const serial_engine& engine, run_planner& run);
std::size_t plan_sharing(const thread_engine& engine, run_planner& run);

/// The task must outlive the engine's run.
std::unique_ptr<engine_run> start(const serial_engine& engine, const training_task& task, const loop_plan& plan,
                                  const note_function& note);
std::unique_ptr<engine_run> start(const thread_engine& engine, const training_task& task, const loop_plan& plan,
                                  const note_function& note);

/// Workers are processes on one named shared-memory segment. This process supervises: it spawns them, opens and closes
/// the rounds, measures, and replaces workers that die; the others never wait for a dead one. The program that workers
/// run calls worker_main (worker_main.hpp) first thing in main.
struct process_engine {
  std::optional<std::size_t> workers{};         ///< > 0; default: as many as this process may use (topology.hpp)
  bool pin = true;                              ///< one CPU for each worker, where there are as many
  std::string program{};                        ///< the program to spawn; empty: this very one
  std::vector<std::string> arguments{};         ///< before the marker: a subcommand, say
  storage_kind storage = storage_kind::single;  ///< as of thread_engine
  std::string segment{};                        ///< the segment's name; empty: a fresh one
};

/// Throws config_error in a process that was itself started as a worker, or for a model that is not trivially copyable.
/// Workers do their task as the decorator of that name has them (worker_decorators.hpp); without a name, as it is.
std::unique_ptr<engine_run> start(const process_engine& engine, const training_task& task, const loop_plan& plan,
                                  const note_function& note, std::string_view decorator = {});
std::size_t plan_sharing(const process_engine& engine, run_planner& run);

/// Joins the members of one process, all at once, in a group of another kind, which theirs carries; by rank, as given.
using joining_function = std::function<std::vector<std::unique_ptr<collective>>(
    std::vector<std::unique_ptr<collective>> members, std::chrono::nanoseconds timeout)>;

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
  std::optional<std::size_t> workers{};   ///< > 0; default: as many as this process may use (topology.hpp)
  sync_rule rule = sync_rule::gradients;  ///< what ranks tell each other
  /// Of each rank between two meetings, at least 1. Default: 64 for gradients; for the mean of parameters 1,024, or an
  /// eighth of a rank's rows where that is less (rows_between_meetings).
  std::optional<std::size_t> rows{};
  bool scale_step = false;  ///< gradients: the step times the number of ranks, as for a batch that grows with them
  transport_kind transport = transport_kind::in_process;  ///< how ranks talk
  bool pin = true;                                        ///< one CPU for each rank, where there are as many
  std::string program{};                                  ///< of processes: see process_engine
  std::vector<std::string> arguments{};                   ///< of processes
  /// Several processes, on one machine or several: all their ranks. Each has as many workers (threads), all of which
  /// are ranks of one run then. Outlives the run.
  collective* ranks = nullptr;
  /// How long ranks wait for one that is not there before the run ends with worker_error; at most 1,000,000 seconds.
  std::chrono::nanoseconds timeout = std::chrono::seconds(30);
  /// Joins ranks, which are threads then, by something else than memory and MPI: NCCL (hogwild/nccl/collective.hpp).
  joining_function join_members{};
};

/// A sync_engine of one rule, with the same members.
template <sync_rule Rule>
struct sync_engine_of {
  std::optional<std::size_t> workers{};                   ///< > 0; default: as many as this process may use
  std::optional<std::size_t> rows{};                      ///< of a rank between two meetings; default: by the rule
  bool scale_step = false;                                ///< the step is multiplied by the number of ranks
  transport_kind transport = transport_kind::in_process;  ///< how ranks talk
  bool pin = true;                                        ///< each worker stays on a CPU
  std::string program{};                                  ///< the program to start as worker; empty: this one
  std::vector<std::string> arguments{};                   ///< of that program, before the others
  collective* ranks = nullptr;  ///< those that train together; null: threads or processes of this one
  std::chrono::nanoseconds timeout = std::chrono::seconds(30);  ///< how long ranks are waited for
  joining_function join_members{};                              ///< makes the ranks meet; empty: by `transport`

  /// The engine that is meant.
  operator sync_engine() const {
    return {workers, Rule, rows, scale_step, transport, pin, program, arguments, ranks, timeout, join_members};
  }
};
/// The rows of each rank between two meetings: the engine's, or by default what suits ranks of at most so many rows.
std::size_t rows_between_meetings(const sync_engine& engine, std::size_t rows_of_rank);

using all_reduce_engine = sync_engine_of<sync_rule::gradients>;
using local_sgd_engine = sync_engine_of<sync_rule::average>;

/// Throws rank_failure on all processes of a run unless they have the same rule, rows and way to meet.
void require_same_engine(const sync_engine& engine, const agreement& ranks);

/// Throws config_error where no rows are between two meetings, where the timeout is none, and for options that do not
/// go with meetings.
std::size_t plan_sharing(const sync_engine& engine, run_planner& run);
std::unique_ptr<engine_run> start(const sync_engine& engine, const training_task& task, const loop_plan& plan,
                                  const note_function& note);

namespace detail {
std::unique_ptr<training_task> as_rank(std::unique_ptr<training_task> whole, const joined_worker& place);
}  // namespace detail

/// The name of worker processes of a synchronous run, in its segment.
inline constexpr std::string_view lockstep_workers = "synchronous";
inline const worker_decoration lockstep_decoration{lockstep_workers, detail::as_rank};

}  // namespace hogwild
