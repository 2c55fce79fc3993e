// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/platform/cpu_load.hpp>
#include <hogwild/detail/run/engine_run.hpp>
#include <hogwild/detail/run/machine_speed.hpp>
#include <hogwild/detail/run/prepare.hpp>
#include <hogwild/detail/worker/loop_options.hpp>

// Predicts what train() would decide, and how long an epoch would take, without a run.

namespace hogwild {

/// How often rows have columns in common, on which the analysis of Hogwild! depends (Recht, Re, Wright, Niu: Hogwild!:
/// A Lock-Free Approach to Parallelizing Stochastic Gradient Descent, 2011, section 2), with a row for an edge and a
/// column for a node.
struct row_meetings {
  std::uint64_t omega = 0;  ///< entries of the longest row
  double delta = 0.0;       ///< largest fraction of rows that contain one column
  double rho = 0.0;  ///< largest fraction of rows that share a column with one row, over the rows that were examined
  double conflict_rate = 0.0;     ///< probability that two rows drawn at random share a column
  double error = 0.0;             ///< of the last two, either way, with a probability of 95 per cent; 0: exact
  std::size_t looked_at = 0;      ///< rows that were compared
  std::size_t compared_with = 0;  ///< rows with which each was compared
};

/// Omega and Delta of all rows. For rho at most 64 rows (half of them drawn at random, half those with the most
/// frequent columns of a sample) are compared with a sample of about a million nonzeros, at most 4,096 rows. Depends on
/// the data alone. There must be rows.
row_meetings measure_meetings(const sparse_view& data);

/// An engine to consider, with a number of workers.
struct candidate {
  std::string engine;  ///< its name
  std::size_t workers = 1;
  std::unique_ptr<any_engine> by;    ///< decides where its workers read and write
  std::unique_ptr<any_engine> twin;  ///< its workers as threads of this process, if they are not; else null
  bool in_lockstep = false;          ///< workers wait for each other, and each step uses rows of all of them
};

/// One candidate, as it would run.
struct advised_run {
  std::string engine;
  std::size_t asked = 1;    ///< workers asked for
  std::size_t workers = 1;  ///< workers that would train
  access_kind sharing = access_kind::alone;
  exchange_options exchange{};
  std::string reason;          ///< for the sharing
  double epoch_seconds = 0.0;  ///< predicted
  bool probed = false;         ///< epoch_seconds is from real steps on a sample; else from the sharing rule
  bool extrapolated = false;   ///< by extrapolate(), to CPUs that this machine does not have
  double speed_up = 1.0;       ///< over one worker
  std::uint64_t bytes = 0;     ///< of parameters, optimiser state and replicas, without the data
  bool in_lockstep = false;    ///< an epoch has fewer steps than in other runs: times are not comparable
  std::string refused = {};    ///< why it cannot train the task; then only `engine` and `asked` are set besides
};

/// The facts that are known before a run, and the recommended run.
struct advice {
  row_meetings meetings{};
  double curvature = 0.0;  ///< upper bound for the mean loss; 0: unknown
  double step = 0.0;       ///< of the first epoch
  bool step_found = false;
  double search_seconds = 0.0;
  machine_speed speed{};          ///< used by the rule
  cpu_load load{};                ///< of other processes, while all times were measured
  double row_ns = 0.0;            ///< time of a row, trained by one worker alone
  std::uint64_t data_bytes = 0;   ///< of the entries and row starts
  std::vector<advised_run> runs;  ///< in the order of the candidates
  std::size_t best = 0;           ///< index of the recommended run
  std::string reason;             ///< why it is the best
};

/// Asks the same rule as train(), with the same facts, once for each candidate: run_planner, with one measurement of
/// the machine's speed for all. If that rule predicts no time (one shared array, lockstep, a ring), and for models
/// without a margin, the candidate's own workers make some steps on a sample. The first candidate has one worker. The
/// engines cannot be used again. Throws as train(), but a candidate's refusal is put into its `refused`. It takes at
/// least a quarter of a second, in which it observes what else uses the CPUs: if `load` is_busy, times are those of a
/// busy machine.
advice advise(const prepared_task& ready, std::vector<candidate>& candidates);

/// Predicts the times of the engines of these runs on up to `cpus` CPUs like these, with `cpus` workers and each
/// smaller power of two that exceeds the engine's workers in `runs`: for each engine that is not in lockstep, from one
/// worker's run (`runs.front()`) and the engine's run with the most workers. A row takes each of p workers a + c (p -
/// 1) / p, where c is the cost of lines that another CPU wrote last. The prediction leaves out memory that is too slow
/// for all workers, and the cost of a second memory node. Engines without a run by several workers are left out.
std::vector<advised_run> extrapolate(const std::vector<advised_run>& runs, std::size_t cpus);

/// The index of the run to take: the one with the least predicted time, leaving out runs in lockstep. A later run is
/// preferred only if it is 5 per cent faster and has more than one worker.
std::size_t best_of(const std::vector<advised_run>& runs);

}  // namespace hogwild
