// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <hogwild/detail/data/shard.hpp>
#include <hogwild/detail/options/combinations.hpp>
#include <hogwild/detail/options/same_on_ranks.hpp>
#include <hogwild/detail/run/run_planner.hpp>
#include <hogwild/engines.hpp>
#include <hogwild/error.hpp>

#include "task/require.hpp"

namespace hogwild {

using detail::require;

namespace {

void check(const sync_engine& engine) {
  constexpr std::chrono::seconds longest_timeout{1'000'000};
  constexpr std::size_t most_rows = std::numeric_limits<std::uint32_t>::max();
  require(!engine.rows || (*engine.rows > 0 && *engine.rows <= most_rows),
          "the ranks of a synchronous engine meet after 1 to " + std::to_string(most_rows) +
              " rows of each, not after " + std::to_string(engine.rows.value_or(0)));
  require(engine.timeout > engine.timeout.zero() && engine.timeout <= longest_timeout,
          "the timeout is a time above 0 and at most " + std::to_string(longest_timeout.count()) + " seconds");
  require(engine.ranks == nullptr || engine.ranks->size() == 1 || engine.transport == transport_kind::in_process,
          "the workers of several processes in lockstep are threads: leave out the transport");
  require(!engine.join_members || engine.transport == transport_kind::in_process,
          "workers that meet by NCCL are threads, or those of several MPI processes: leave out the transport");
}

void check(const sync_engine& engine, const run_planner& run) {
  const loop_options& loop = run.loop();
  require_compatible(run.combined(trained_by::lockstep));
  require(loop.ownership != ownership_kind::blocks,
          "each rank of a synchronous engine has its own parameters: leave out the ownership");
  const bool margin = run.task().facts().margin;
  if (engine.rule != sync_rule::gradients) run.require_step_of_epochs();
  require(engine.rule != sync_rule::gradients || loop.form != l2_form::two_pass,
          "all_reduce does not do l2 in two passes: use local_sgd, or leave out the form of the l2");
  require(loop.optimizer != optimizer_kind::ftrl,
          "ftrl cannot average over ranks, because its weights are not linear in the sums that it keeps: use threads, "
          "processes or a ring, or another optimizer");
  const bool takes_l1 = margin && loop.optimizer == optimizer_kind::sgd;
  require(engine.rule != sync_rule::gradients || loop.l1 == 0.0 || takes_l1,
          "all_reduce takes l1 only for one linear model under sgd, with one margin a row, and not for several side by "
          "side: choose that, use local_sgd, or leave out the l1");
  require(!engine.scale_step || !run.step_found(),
          "a found step suits the rows of all workers already: give a step to have it scaled");
}

/// A step that is given to all_reduce applies to the mean of many rows, which allows a larger step than single rows do.
void note_given_step(double rows, const run_planner& run) {
  const step_options& step = run.options().step;
  if (!step.initial || step.decay || rows <= 1.0) return;
  run.note(
      "a step that is given stays as it is, epoch after epoch, though each is made by the mean of " +
      std::to_string(static_cast<std::uint64_t>(rows)) +
      " rows; a step that suits single rows is far too small for it: leave the step out, or give the decay as well");
}

void note_few_steps(double steps, std::size_t rows, bool gathered, const run_planner& run) {
  constexpr double few = 10.0;
  if (steps >= few) return;
  run.note("an epoch is only " + std::to_string(static_cast<int>(steps)) + (steps == 1.0 ? " step" : " steps") +
           (gathered ? " of " + std::to_string(rows) + " rows of each worker" : " of each worker") +
           ", which get nowhere near as far as a step a row; " +
           (gathered ? "let them meet after fewer rows, or use fewer workers" : "use fewer workers"));
}

void tell_idle(std::size_t chunks, std::size_t workers, const run_planner& run) {
  if (chunks >= workers) return;
  run.note("there are no more than " + std::to_string(chunks) + (chunks == 1 ? " chunk" : " chunks") +
           " of rows, so that " + std::to_string(workers - chunks) + " of the " + std::to_string(workers) +
           " workers have no rows of their own and only meet the others; use fewer workers");
}

/// The rows that this process's workers bring to the fullest meeting of an epoch.
double rows_of_meeting(const chunk_plan& cut, std::size_t workers, std::size_t between) {
  std::size_t sum = 0;
  for (std::size_t worker = 0; worker < workers; ++worker) {
    const shard own = shard::part(cut.count(), shard_id(static_cast<std::uint32_t>(worker)), workers);
    if (own.size() > 0) sum += std::min(between, cut[own.last - 1].last - cut[own.first].first);
  }
  return static_cast<double>(sum);
}

}  // namespace

// A meeting of gradients is a step, and an epoch needs many steps. A mean of parameters is not a step: ranks may train
// a thousand rows apart, and with few rows in all they meet eight times an epoch.
std::size_t rows_between_meetings(const sync_engine& engine, std::size_t rows_of_rank) {
  constexpr std::size_t of_gradients = 64, of_parameters = 1024, meetings = 8;
  if (engine.rows) return *engine.rows;
  if (engine.rule == sync_rule::gradients) return of_gradients;
  return std::clamp<std::size_t>(rows_of_rank / meetings, 1, of_parameters);
}

void require_same_engine(const sync_engine& engine, const agreement& ranks) {
  const std::vector<named_value> mine{
      {"the engine", engine.rule == sync_rule::gradients ? "all_reduce" : "local_sgd"},
      {"the rows between two meetings",
       std::to_string(rows_between_meetings(engine, std::numeric_limits<std::size_t>::max()))},
      {"scale_step", engine.scale_step ? "true" : "false"},
      {"what workers meet by", engine.join_members ? "NCCL" : "memory and messages"}};
  detail::require_same_on_ranks(mine, ranks);
}

// Nothing here may depend on the machine: a synchronous run repeats to the bit.
std::size_t plan_sharing(const sync_engine& engine, run_planner& run) {
  const std::size_t workers = run.count_workers(engine.workers);
  check(engine);
  check(engine, run);
  const bool gathered = engine.rule == sync_rule::gradients;
  const agreement processes = run.ranks();
  const auto rows = static_cast<double>(run.task().all_rows());
  const auto ranks = processes.sum(static_cast<double>(workers));
  require(ranks == static_cast<double>(workers * processes.size()),
          "the processes of a synchronous engine have as many workers each: say how many");
  const chunk_plan cut = run.task().plan(run.loop()).chunks;
  const std::size_t chunks = (cut.count() + workers - 1) / workers;
  double longest =
      std::min(static_cast<double>(run.task().data().rows()), static_cast<double>(chunks * cut.rows_per_chunk()));
  processes.take_first(std::span(&longest, 1));
  const std::size_t between = rows_between_meetings(engine, static_cast<std::size_t>(longest));
  const double met = std::min(longest, static_cast<double>(between));
  const double meeting = processes.sum(rows_of_meeting(cut, workers, between));
  if (gathered)
    run.scale_found_step(static_cast<std::size_t>(meeting)), run.agree_on_schedule();
  else
    run.limit_batch();
  // The fraction of one row's change that is kept, which its l2 has to match: a meeting of all rows that can meet is
  // one step, or several by each rank.
  const double steps = gathered ? rows / meeting * (engine.scale_step ? ranks : 1.0) : longest;
  loop_options& loop = run.loop();
  loop.shards = sharding::fixed;
  loop.sharing = gathered ? access_kind::gathered : access_kind::averaged;
  loop.exchange = {.rows = between,
                   .gain_weight = steps / rows,
                   .workers = workers,
                   .scale = gathered && engine.scale_step ? ranks : 1.0,
                   .timeout_seconds = std::chrono::duration<double>(engine.timeout).count()};
  run.explain(std::to_string(workers * processes.size()) + " ranks with arrays of their own " +
              (gathered ? "sum up their gradients" : "take the mean of their parameters") + " every " +
              std::to_string(between) + " rows of each");
  tell_idle(run.task().plan(loop).chunks.count(), workers, run);
  if (gathered) note_given_step(meeting, run);
  note_few_steps(gathered ? std::ceil(longest / met) : longest, between, gathered, run);
  return workers;
}

}  // namespace hogwild
