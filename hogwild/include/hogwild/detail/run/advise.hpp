// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <hogwild/detail/engines/any_engine.hpp>
#include <hogwild/detail/loop/loop_options.hpp>
#include <hogwild/detail/platform/cpu_load.hpp>
#include <hogwild/detail/run/machine_speed.hpp>
#include <hogwild/detail/run/prepare.hpp>
#include <hogwild/detail/run/row_meetings.hpp>

// What train() would decide, and how long an epoch would take, without a run.

namespace hogwild {

/// An engine that may be advised, with a number of workers.
struct candidate {
  std::string engine;  ///< its name
  std::size_t workers = 1;
  std::unique_ptr<any_engine> by;    ///< decides where its workers read and write
  std::unique_ptr<any_engine> twin;  ///< its workers as threads of this process, where they are not; else null
  bool in_lockstep = false;          ///< workers wait for each other, and a step is made from rows of all of them
};

/// One candidate, as it would run.
struct advised_run {
  std::string engine;
  std::size_t asked = 1;    ///< workers
  std::size_t workers = 1;  ///< that would train
  access_kind sharing = access_kind::alone;
  exchange_options exchange{};
  std::string reason;          ///< of the sharing
  double epoch_seconds = 0.0;  ///< predicted
  bool probed = false;         ///< by real steps of these workers on a sample; else by the rule that chooses
  bool extrapolated = false;   ///< to CPUs that are not here, by extrapolate()
  double speed_up = 1.0;       ///< over one worker alone
  std::uint64_t bytes = 0;     ///< of parameters, optimiser state and replicas; the data not
  bool in_lockstep = false;    ///< an epoch is fewer steps than one of the others: times do not compare
  std::string refused = {};    ///< why it cannot train this; then nothing above but its name holds
};

/// What is known before a run, and what is best done.
struct advice {
  row_meetings meetings{};
  double curvature = 0.0;  ///< of the mean loss, at most; 0: the data do not tell
  double step = 0.0;       ///< of the first epoch
  bool step_found = false;
  double search_seconds = 0.0;
  machine_speed speed{};          ///< that the rule was asked with
  cpu_load load{};                ///< by others, while all times were measured
  double row_ns = 0.0;            ///< a row, trained by one worker alone
  std::uint64_t data_bytes = 0;   ///< of the entries and row starts
  std::vector<advised_run> runs;  ///< as the candidates came
  std::size_t best = 0;           ///< of the runs
  std::string reason;             ///< for it
};

/// Asks the rule that train() asks, once for each candidate, by the same facts: run_planner, with a speed of the
/// machine that is measured once for all. Where that rule predicts no time (one shared array, lockstep, a ring), and of
/// models without a margin, the candidate's own workers make some steps on a sample. The first candidate has one
/// worker; every engine is used up. Throws as train(), but what a candidate refuses stands in its `refused`. It takes a
/// quarter of a second at least, in which it is seen what else uses the CPUs: where `load` is_busy, times are those of
/// a busy machine.
advice advise(const prepared_task& ready, std::vector<candidate>& candidates);

/// What the engines that have these runs would take on as many as `cpus` CPUs like these, for 2, 4, 8, ... workers and
/// `cpus`: for each engine that is not in lockstep, from its runs by one worker (`runs.front()`) and by the most. A row
/// takes each of p workers a + c (p - 1) / p, where c is what it costs to find lines that another CPU has written last;
/// memory that is too slow for all of them, and what a second memory node costs, are not in it. Nothing for an engine
/// that has no run by several workers.
std::vector<advised_run> extrapolate(const std::vector<advised_run>& runs, std::size_t cpus);

/// The index of the run to take: the least predicted time, of those that are not in lockstep; one that comes later has
/// to be 5 per cent faster, and to have more than one worker.
std::size_t best_of(const std::vector<advised_run>& runs);

}  // namespace hogwild
