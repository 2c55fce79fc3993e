// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <string>
#include <utility>

#include <hogwild/choose.hpp>
#include <hogwild/combinations.hpp>
#include <hogwild/core/checkpoint.hpp>
#include <hogwild/core/error.hpp>
#include <hogwild/core/kernels/margin_kernels.hpp>
#include <hogwild/core/topology.hpp>
#include <hogwild/curvature.hpp>
#include <hogwild/machine_speed.hpp>
#include <hogwild/prepare.hpp>
#include <hogwild/rank_checkpoints.hpp>
#include <hogwild/record_observer.hpp>
#include <hogwild/run_checkpoint.hpp>
#include <hogwild/sharing/neighbours.hpp>
#include <hogwild/step_search.hpp>
#include <hogwild/virtual_workers.hpp>

#include "require.hpp"

namespace hogwild {

using detail::require;

run_scope::run_scope(job& work, const prepared_data& ready) : job_(work) {
  run_.options = ready.options();
  run_.ranks = ready.ranks();
  run_.begun = ready.begun();
  std::string& resume = run_.options.resume;
  if (!resume.empty()) resume = resume_of_rank(resume, agreement(run_.ranks));
  const std::string& checkpoint = run_.options.checkpoint;
  if (!checkpoint.empty()) require_checkpoint_place(checkpoint_of_rank(checkpoint, agreement(run_.ranks)));
  run_.l2 = ready.loop().l2;
  const step_options& step = ready.options().step;
  const search_clock searching(run_.search_seconds);
  const training_defaults& defaults = ready.defaults();
  const bool by_default = step.initial == 0.0 && defaults.step > 0.0;
  const bool search = step.initial == 0.0 && !by_default && resume.empty();
  const schedule_kind kind = step.kind.value_or(defaults.schedule);
  run_.schedule = {kind,
                   search       ? find_step(work, ready.options().initial, ready.options().stop)
                   : by_default ? defaults.step
                                : step.initial,
                   step.decay};
  // A model that has a step of its own knows how it should fall, whatever it is.
  if (defaults.step > 0.0 && step.decay == 0.0 && kind == defaults.schedule) run_.schedule.decay = defaults.decay;
  run_.step_found = search && !ready.options().stop.stop_requested();
  if (!resume.empty()) run_.schedule = schedule_of_checkpoint(resume);
  if (run_.schedule.decay == 0.0 && run_.schedule.kind != schedule_kind::constant) {
    // A found step is as large as one pass allows, so it has to fall; another one is what the user or the model wants.
    const double passes = static_cast<double>(ready.options().epochs - 1);
    const bool falls = search && passes > 0.0;
    if (run_.schedule.kind == schedule_kind::linear)
      run_.schedule.decay = 1.0 / static_cast<double>(ready.options().epochs);
    else if (run_.schedule.kind == schedule_kind::geometric)
      run_.schedule.decay = falls ? std::pow(0.01, 1.0 / passes) : 1.0;
    else
      run_.schedule.decay = falls ? 99.0 / passes : 0.0;
  }
  agree_on_schedule();
  if (agreement(run_.ranks).rank() > 0) run_.options.record.clear();  // the first rank writes for all
  if (!run_.options.record.empty()) {
    record_ = make_record_observer(run_.options.record, work, run_);
    run_.options.observers.push_back(record_.get());
  }
}

run_scope::~run_scope() = default;

/// The first rank's, where each has found one by its own rows.
void run_scope::agree_on_schedule() {
  step_schedule& s = run_.schedule;
  std::array<double, 2> found{s.initial, s.decay};
  agreement(run_.ranks).take_first(found);
  s.initial = found[0], s.decay = found[1];
}

/// The first rank's too: all have to come to the same decisions when gains overshoot.
void run_scope::agree_on_exchange() {
  const agreement ranks(run_.ranks);
  if (ranks.alone()) return;
  exchange_options e = job_.options().exchange;
  std::array<double, 5> chosen{static_cast<double>(e.rows), static_cast<double>(e.least), e.curvature, e.share,
                               static_cast<double>(e.workers)};
  ranks.take_first(chosen);
  e.rows = static_cast<std::uint64_t>(chosen[0]);
  e.least = static_cast<std::uint64_t>(chosen[1]);
  e.curvature = chosen[2];
  e.share = chosen[3];
  e.workers = static_cast<std::uint64_t>(chosen[4]);
  job_.share(job_.options().sharing, e);
}

/// Of the mean loss, at most: rows that weigh more bend it more. 0 where the data do not tell.
double run_scope::curvature() {
  if (job_.steepness() == 0.0) return 0.0;
  if (!curvature_) {
    curvature_ = job_.steepness() * std::max(1.0, job_.options().weight_positive) *
                 largest_eigenvalue(job_.data(), job_.options().bias != 0, run_.options.stop);
  }
  return *curvature_;
}

// Nothing here may depend on the machine or on how many workers there are.
std::size_t run_scope::deal_to_virtual_workers(std::size_t workers) {
  const turn_choice choice = choose_turns({.asked = run_.options.virtual_workers,
                                           .rows = job_.data().rows(),
                                           .nonzeros = job_.data().nonzeros(),
                                           .step = run_.schedule.initial,
                                           .curvature = curvature(),
                                           .batch = job_.steepness() == 0.0 ? job_.options().batch : 0});
  job_.share(sharing_kind::frozen, choice.exchange);
  run_.sharing_reason = choice.reason;
  const std::size_t dealt_to = choice.exchange.workers;
  if (dealt_to < workers)
    idle_because_.push_back("the rows are dealt to " + std::to_string(dealt_to) +
                            " virtual workers; ask for more of those");
  return std::min(workers, dealt_to);
}

// A batch is one step of as many rows: stable while step * curvature * rows is below 2. A search has tried its step.
void run_scope::limit_batch() {
  if (!job_.margin() || job_.options().optimizer != optimizer_kind::sgd) return;
  if (run_.options.sharing == sharing_kind::direct || job_.options().update == update_kind::locked) return;
  if (!run_.options.resume.empty()) return job_.limit_batch(batch_of_checkpoint(run_.options.resume));
  if (run_.step_found) return;
  const double rows = 1.0 / std::max(run_.schedule.initial * curvature(), 1e-9);
  job_.limit_batch(static_cast<std::uint32_t>(std::min(rows, static_cast<double>(batch_rows))));
}

std::size_t run_scope::granted(std::size_t asked, std::size_t most) {
  if (most < asked) {
    idle_because_.push_back("OpenMP grants " + std::to_string(most) + (most == 1 ? " thread" : " threads") +
                            " where train() was called (within a parallel "
                            "region, or by OMP_THREAD_LIMIT); call it elsewhere, or take a std team");
  }
  return std::min(asked, most);
}

// The one place that tells it, for every engine and every reason. Who has not asked for a number has nothing to hear.
void run_scope::tell_who_trains(std::size_t asked, std::size_t workers) const {
  const std::size_t train = job_.who_train(workers);
  if (train >= asked) return;
  std::string sentence = std::to_string(train) + " of the " + std::to_string(asked) + " workers that were asked for " +
                         (train == 1 ? "trains" : "train");
  const std::string reasons = why_fewer(), sign = reasons.empty() ? ": " : "; ";
  if (!reasons.empty()) sentence += ": " + reasons;
  if (train < workers) sentence += sign + "there are no more than " + std::to_string(train) + " chunks of rows";
  note()(sentence);
}

std::string run_scope::why_fewer() const {
  std::string reasons;
  for (const std::string& reason : idle_because_) reasons += (reasons.empty() ? "" : "; ") + reason;
  return reasons;
}

std::size_t run_scope::share_among(std::size_t workers) {
  limit_batch();
  if (run_.options.reproducible)
    workers = deal_to_virtual_workers(workers);
  else
    workers = choose_among(workers);
  return workers;
}

// Workers hold replicas of their replica on the ring, all bound by what all of them together may gain.
std::size_t run_scope::share_on_ring(std::size_t workers, const ring_layout& ring) {
  among_ranks_ = ring.ranks > 1;
  if (ring.replicas < 2 && !among_ranks_) {
    note()("one replica is no ring but plain Hogwild!; ask for more replicas than this machine has memory nodes");
    return share_among(workers);
  }
  const std::string_view refused = why_refused_on_ring(
      {.sharing = run_.options.sharing, .update = job_.options().update, .reproducible = run_.options.reproducible});
  require(refused.empty(), std::string(refused));
  run_.options.sharing = sharing_kind::buffered;
  // An exchange may find the token elsewhere once. A worker that has its replica to itself soon looks again, but each
  // of the others may be a look late.
  const bool one_each = ring.rule == ring_rule::deltas && workers == ring.replicas;
  if (ring.replicas > 1)
    delay_ = one_each ? 1.0 + static_cast<double>(ring.replicas / neighbours::looks_a_period) : 2.0;
  workers = share_among(workers);
  exchange_options exchange = job_.options().exchange;
  exchange.replicas = static_cast<std::uint32_t>(ring.replicas);
  exchange.rule = ring.rule;
  if (among_ranks_) {
    exchange.workers = std::max<std::uint64_t>(exchange.workers, 2);
    // Other ranks see the weights as they are at the worker's last exchange: l2 must not have changed them much since.
    const double shrink = run_.schedule.initial * job_.options().l2;
    const auto most = static_cast<std::uint64_t>(std::clamp(0.25 / std::max(shrink, 1e-9), 1.0, 4096.0));
    exchange.rows = std::min(exchange.rows, std::bit_floor(most));
    exchange.least = std::min(exchange.least, exchange.rows);
  }
  job_.share(sharing_kind::buffered, exchange);
  agree_on_exchange();
  return workers;
}

// Nothing here may depend on the machine: a synchronous run repeats to the bit.
std::size_t run_scope::share_in_lockstep(std::size_t workers, const sync_layout& meetings) {
  const loop_options& loop = job_.options();
  const std::string_view refused = why_refused_in_lockstep(
      {.sharing = run_.options.sharing, .update = loop.update, .reproducible = run_.options.reproducible});
  require(refused.empty(), std::string(refused));
  const bool gathered = meetings.rule == sync_rule::gradients;
  require(loop.ownership != ownership_kind::blocks,
          "the ranks of a synchronous engine have arrays of their own: leave out the ownership");
  require(!gathered || loop.optimizer == optimizer_kind::sgd || !job_.margin(),
          "the gathered gradients of a linear model are one step of sgd; adagrad's sums are a row's: use local_sgd, or "
          "another engine");
  require(!meetings.scale_step || !run_.step_found,
          "a found step suits the rows of all workers already: give a step to have it scaled");
  const agreement processes(run_.ranks);
  const auto rows = static_cast<double>(job_.all_rows());
  const auto ranks = processes.sum(static_cast<double>(workers));
  require(ranks == static_cast<double>(workers * processes.size()),
          "the processes of a synchronous engine have as many workers each: say how many");
  const std::size_t chunks = (job_.plan().count() + workers - 1) / workers;
  double longest =
      std::min(static_cast<double>(job_.data().rows()), static_cast<double>(chunks * job_.plan().rows_per_chunk()));
  processes.take_first(std::span(&longest, 1));
  const double met = std::min(longest, static_cast<double>(meetings.rows));
  if (gathered)
    stretch_found_step(met * ranks), agree_on_schedule();
  else
    limit_batch();
  // Of one row's change so much is kept, and its l2 has to match: a meeting is one step, or so many of each rank.
  const double steps = gathered ? std::ceil(longest / met) * (meetings.scale_step ? ranks : 1.0) : longest;
  job_.deal(sharding::fixed);
  job_.share(gathered ? sharing_kind::gathered : sharing_kind::averaged,
             {.rows = meetings.rows,
              .share = steps / rows,
              .workers = workers,
              .scale = gathered && meetings.scale_step ? ranks : 1.0,
              .patience_seconds = meetings.patience_seconds});
  run_.sharing_reason = std::to_string(workers * processes.size()) + " ranks with arrays of their own " +
                        (gathered ? "sum up their gradients" : "take the mean of their parameters") + " every " +
                        std::to_string(meetings.rows) + " rows of each";
  if (const std::size_t all = job_.plan().count(); all < workers) {
    note()("there are no more than " + std::to_string(all) + (all == 1 ? " chunk" : " chunks") + " of rows, so that " +
           std::to_string(workers - all) + " of the " + std::to_string(workers) +
           " workers have no rows of their own and only meet the others; use fewer workers");
  }
  tell_few_steps(gathered ? std::ceil(longest / met) : longest, meetings);
  return workers;
}

void run_scope::tell_few_steps(double steps, const sync_layout& meetings) const {
  constexpr double few = 10.0;
  if (steps >= few) return;
  const bool gathered = meetings.rule == sync_rule::gradients;
  note()("an epoch is only " + std::to_string(static_cast<int>(steps)) + (steps == 1.0 ? " step" : " steps") +
         (gathered ? " of " + std::to_string(meetings.rows) + " rows of each worker" : " of each worker") +
         ", which get nowhere near as far as a step a row; " +
         (gathered ? "let them meet after fewer rows, or use fewer workers" : "use fewer workers"));
}

// A search finds the step of one row at a time. That of the mean of many may be as many times as large, up to where the
// curvature of the loss bounds any step.
void run_scope::stretch_found_step(double rows) {
  if (!run_.step_found) return;
  double& step = run_.schedule.initial;
  step = std::max(step, std::min(step * rows, 1.0 / std::max(curvature(), 1e-9)));
}

std::size_t run_scope::choose_among(std::size_t workers) {
  const loop_options& loop = job_.options();
  sharing_kind asked = run_.options.sharing;
  if (asked == sharing_kind::automatic && workers > 1 && !among_ranks_ && loop.update != update_kind::locked) {
    // Whoever asks for factors that all share asks for Hogwild! as published.
    asked = loop.ownership == ownership_kind::shared ? sharing_kind::direct : job_.preferred_sharing();
  }
  sharing_facts facts{.asked = asked,
                      .update = loop.update,
                      .workers = workers,
                      .cpus = default_workers(crew_cpus().size(), cpu_quota()),
                      .rows = job_.data().rows(),
                      .parameters = job_.parameters(),
                      .nonzeros = job_.data().nonzeros(),
                      .degree = job_.data().degree,
                      .margin = job_.margin(),
                      .others = among_ranks_,
                      .step = run_.schedule.initial,
                      .batch = job_.steepness() == 0.0 ? job_.options().batch : 0};
  const bool can_own =
      job_.can_own() && !among_ranks_ &&
      (run_.options.sharing == sharing_kind::automatic || run_.options.sharing == sharing_kind::direct);
  const bool shall_own =
      loop.ownership == ownership_kind::blocks ||
      (loop.ownership == ownership_kind::automatic && run_.options.sharing == sharing_kind::automatic && can_own);
  if (shall_own) {
    require(can_own, "blocks of ratings have owners on one shared array only: leave out the ownership, or the ring");
    const bool several = workers > 1;
    job_.share(several ? sharing_kind::direct : sharing_kind::alone, {.workers = workers});
    job_.own(ownership_kind::blocks);
    run_.sharing_reason = several ? "workers own the users and items of the block of ratings that they train"
                                  : "one worker has the parameters alone, block by block";
    return workers;
  }
  const bool locked = loop.update == update_kind::locked;
  if ((workers > 1 || among_ranks_) && asked != sharing_kind::direct && !locked) {
    facts.curvature = delay_ * curvature();
    facts.row_ns = measure_row(job_, run_.options.stop);
    const line_speed lines = measure_lines();
    facts.line_ns = lines.exchange_ns;
    facts.shared_ns = lines.shared_ns;
    facts.cache_bytes = level2_cache_bytes();
  }
  const sharing_choice choice = choose_sharing(facts);
  job_.share(choice.kind, choice.exchange);
  run_.sharing_reason = choice.reason;
  if (!choice.idle.empty())
    idle_because_.push_back(choice.idle + "; with a sharing that is asked for by name all train");
  return choice.workers;
}

note_function run_scope::note() const {
  return [this](std::string_view sentence) { tell(run_.options, [&](observer& o) { o.on_note(sentence); }); };
}

train_result run_scope::run(crew& workers) {
  return run_training(job_, workers, run_);
}

}  // namespace hogwild
