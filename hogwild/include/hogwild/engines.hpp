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

#include <hogwild/detail/run/engine_run.hpp>
#include <hogwild/detail/task/worker_decorators.hpp>
#include <hogwild/detail/teams/thread_team.hpp>

// Engines run the worker loop. An engine is a plain struct of options with two functions. plan_sharing(engine, run)
// decides where its workers read and write, and returns their number. start(engine, task, plan, note) makes the engine
// run that trains the task by the plan. An engine with several workers has a member `workers`.

namespace hogwild {

class collective;
class training_task;
class agreement;
struct loop_plan;
class run_planner;

/// One worker, in the calling thread: the reference for all other engines.
struct serial_engine {};

/// Workers are threads of this process.
struct thread_engine {
  std::optional<std::size_t> workers{};              ///< > 0; default: as many as this process may use (topology.hpp)
  thread_team_kind team = thread_team_kind::openmp;  ///< the library of their threads
  bool pin = true;  ///< one CPU for each std thread; OpenMP follows OMP_PLACES and OMP_PROC_BIND
  storage_kind storage = storage_kind::single;  ///< of the factors of factorization_machine and ffm in replicas
  /// The name of a new segment for the parameters, where other processes can read them by live_parameters; it begins
  /// with "hogwild-". Empty: the parameters lie in private memory.
  std::string segment{};
};

/// One worker, which shares with nobody.
std::size_t plan_sharing(const serial_engine& engine, run_planner& run);
/// Decides how threads share the parameters, and returns their number.
std::size_t plan_sharing(const thread_engine& engine, run_planner& run);

/// The task must outlive the engine's run.
std::unique_ptr<engine_run> start(const serial_engine& engine, const training_task& task, const loop_plan& plan,
                                  const note_function& note);
/// Likewise.
std::unique_ptr<engine_run> start(const thread_engine& engine, const training_task& task, const loop_plan& plan,
                                  const note_function& note);

/// Workers are processes on one named shared-memory segment. This process supervises them: it spawns them, opens and
/// closes the rounds, measures, and replaces workers that die. No worker ever waits for a dead one. The program that
/// workers run must call worker_main (worker_main.hpp) first in its main function.
struct process_engine {
  std::optional<std::size_t> workers{};         ///< > 0; default: as many as this process may use (topology.hpp)
  bool pin = true;                              ///< one CPU for each worker, if there are enough
  std::string program{};                        ///< the program that workers run; empty: this one
  std::vector<std::string> arguments{};         ///< its first arguments, before the marker: a subcommand, say
  storage_kind storage = storage_kind::single;  ///< as in thread_engine
  std::string segment{};                        ///< the segment's name; empty: a new one
};

/// Throws config_error in a process that was itself started as a worker, or for a model that is not trivially copyable.
/// Workers wrap their task by the decorator of this name (worker_decorators.hpp), if one is given.
std::unique_ptr<engine_run> start(const process_engine& engine, const training_task& task, const loop_plan& plan,
                                  const note_function& note, std::string_view decorator = {});
/// Decides how processes share the parameters, and returns their number.
std::size_t plan_sharing(const process_engine& engine, run_planner& run);

/// Joins all members of one process at once to a group of another kind, and returns the new members in the same order.
/// The given members set up the new group.
using joining_function = std::function<std::vector<std::unique_ptr<collective>>(
    std::vector<std::unique_ptr<collective>> members, std::chrono::nanoseconds timeout)>;

/// Synchronous training: the baseline for the engines whose workers do not wait. Each worker is a rank with its own
/// copy of the parameters and a fixed part of the rows. All ranks meet (collective.hpp) whenever each has trained a
/// given number of rows. They go on with the same parameters to the bit, which is checked after each round. So a run
/// repeats to the bit, but its result depends on the number of workers.
///
///   gradients: all rows between two meetings see the same parameters; w += scale * mean over all these rows of the
///              change by each (mini-batch descent by all-reduce)
///   average:   each rank makes its own steps between meetings (local SGD); w = mean over ranks, weighted by their rows
///
/// all_reduce_engine and local_sgd_engine are sync_engine with a rule fixed at compile time.
struct sync_engine {
  std::optional<std::size_t> workers{};   ///< > 0; default: as many as this process may use (topology.hpp)
  sync_rule rule = sync_rule::gradients;  ///< what ranks exchange
  /// >= 1: the rows of each rank between two meetings. Default: 64 for gradients; for average the smaller of 1,024 and
  /// an eighth of a rank's rows (rows_between_meetings).
  std::optional<std::size_t> rows{};
  bool scale_step = false;  ///< gradients: multiplies the step by the number of ranks, as the batch grows with them
  transport_kind transport = transport_kind::in_process;  ///< how ranks communicate
  bool pin = true;                                        ///< one CPU for each rank, if there are enough
  std::string program{};                                  ///< for ranks that are processes: see process_engine
  std::vector<std::string> arguments{};                   ///< likewise
  /// For a run of several processes, on one machine or several: the collective of all of them. Each process has the
  /// same number of workers, which are threads; all these threads are ranks of one run. The collective outlives the
  /// run.
  collective* ranks = nullptr;
  /// How long ranks wait for a missing one before the run ends with worker_error; at most 1,000,000 seconds.
  std::chrono::nanoseconds timeout = std::chrono::seconds(30);
  /// Joins ranks, which are then threads, by other means than memory and MPI: NCCL (hogwild/nccl/collective.hpp).
  joining_function join_members{};
};

/// A sync_engine with a fixed rule. Members mean the same as there.
template <sync_rule Rule>
struct sync_engine_of {
  std::optional<std::size_t> workers{};                   ///< > 0; default: as many as this process may use
  std::optional<std::size_t> rows{};                      ///< of a rank between two meetings; default: by the rule
  bool scale_step = false;                                ///< multiplies the step by the number of ranks
  transport_kind transport = transport_kind::in_process;  ///< how ranks communicate
  bool pin = true;                                        ///< one CPU for each rank, if there are enough
  std::string program{};                                  ///< the program that workers run; empty: this one
  std::vector<std::string> arguments{};                   ///< its first arguments
  collective* ranks = nullptr;  ///< the processes that train together; null: this process alone
  std::chrono::nanoseconds timeout = std::chrono::seconds(30);  ///< how long ranks wait for a missing one
  joining_function join_members{};                              ///< joins the ranks; empty: `transport` does

  /// The same engine as a sync_engine.
  operator sync_engine() const {
    return {workers, Rule, rows, scale_step, transport, pin, program, arguments, ranks, timeout, join_members};
  }
};
/// The rows of each rank between two meetings: `engine.rows`, or the default for ranks of at most `rows_of_rank` rows.
std::size_t rows_between_meetings(const sync_engine& engine, std::size_t rows_of_rank);

/// Mini-batch descent by all-reduce: ranks exchange the changes by their rows.
using all_reduce_engine = sync_engine_of<sync_rule::gradients>;
/// Local SGD: ranks exchange parameters.
using local_sgd_engine = sync_engine_of<sync_rule::average>;

/// Throws rank_failure on all processes of a run unless their rule, rows and means of meeting are the same.
void require_same_engine(const sync_engine& engine, const agreement& ranks);

/// Throws config_error for 0 rows between two meetings, a timeout out of range, and options that synchronous training
/// does not support.
std::size_t plan_sharing(const sync_engine& engine, run_planner& run);
/// The task must outlive the engine's run.
std::unique_ptr<engine_run> start(const sync_engine& engine, const training_task& task, const loop_plan& plan,
                                  const note_function& note);

namespace detail {
std::unique_ptr<training_task> as_rank(std::unique_ptr<training_task> whole, const joined_worker& place);
}  // namespace detail

/// The name of the decorator for worker processes of a synchronous run, in the run's segment.
inline constexpr std::string_view lockstep_workers = "synchronous";
/// Makes a worker process a rank.
inline const worker_decoration lockstep_decoration{lockstep_workers, detail::as_rank};

}  // namespace hogwild
