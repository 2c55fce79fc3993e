// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/run_planner.hpp>

#include <algorithm>
#include <array>
#include <utility>

#include <hogwild/detail/kernels/margin_kernels.hpp>
#include <hogwild/detail/options/combinations.hpp>
#include <hogwild/detail/platform/cpu_load.hpp>
#include <hogwild/detail/platform/topology.hpp>
#include <hogwild/detail/run/choose.hpp>
#include <hogwild/detail/run/curvature.hpp>
#include <hogwild/detail/run/machine_speed.hpp>
#include <hogwild/detail/run/run_checkpoint.hpp>
#include <hogwild/detail/run/sharing_doubt.hpp>
#include <hogwild/detail/run/step_search.hpp>

#include "task/require.hpp"

namespace hogwild {

using detail::require;

void run_planner::agree_on_schedule() {
  step_schedule& s = run_.schedule;
  std::array<double, 2> found{s.initial, s.decay};
  ranks().take_first(found);
  s.initial = found[0], s.decay = found[1];
}

void run_planner::agree_on_exchange() {
  if (ranks().alone()) return;
  exchange_options& e = loop_.exchange;
  std::array<double, 5> chosen{static_cast<double>(e.rows), static_cast<double>(e.least), e.curvature, e.gain_weight,
                               static_cast<double>(e.workers)};
  ranks().take_first(chosen);
  e.rows = static_cast<std::uint64_t>(chosen[0]);
  e.least = static_cast<std::uint64_t>(chosen[1]);
  e.curvature = chosen[2];
  e.gain_weight = chosen[3];
  e.workers = static_cast<std::uint64_t>(chosen[4]);
}

double run_planner::curvature() {
  const double smoothness = task_.smoothness();
  if (smoothness == 0.0) return 0.0;
  if (!curvature_) {
    curvature_ = smoothness * largest_eigenvalue(task_.data(), loop_.bias_square(), end_token());
  }
  return *curvature_;
}

// Nothing here may depend on the machine or on the number of workers.
std::size_t run_planner::plan_virtual_workers(std::size_t workers) {
  turn_choice choice = choose_turns({.asked = run_.options.virtual_workers,
                                     .rows = task_.data().rows(),
                                     .nonzeros = task_.data().nonzeros(),
                                     .step = step(),
                                     .curvature = curvature(),
                                     .batch = task_.smoothness() == 0.0 ? loop_.batch : 0});
  loop_.sharing = access_kind::deterministic;
  loop_.exchange = choice.exchange;
  explain(std::move(choice.reason));
  const std::size_t dealt_to = choice.exchange.workers;
  if (dealt_to < workers)
    idle_reason_.push_back("there are only " + std::to_string(dealt_to) +
                           " virtual workers to deal rows to; ask for more of them");
  return std::min(workers, dealt_to);
}

// A batch is one step of all its rows: stable while step * curvature * rows is below 2. A step from a search was tried
// with its batch.
void run_planner::limit_batch() {
  if (!task_.facts().margin || loop_.optimizer != optimizer_kind::sgd) return;
  if (run_.options.sharing == sharing_kind::direct || loop_.update == update_kind::locked) return;
  const auto limit = [this](std::uint32_t rows) { loop_.batch = std::min(loop_.batch, std::max(rows, 1u)); };
  if (run_.resumed) return limit(batch_of_checkpoint(run_.resumed->state));
  if (run_.step_found) return;
  const double rows = 1.0 / std::max(step() * curvature(), 1e-9);
  limit(static_cast<std::uint32_t>(std::min(rows, static_cast<double>(batch_rows))));
}

void run_planner::scale_found_step(std::size_t rows) {
  const bool of_model = !run_.step_found && !run_.options.step.initial && !run_.resumed;
  if (!run_.step_found && !of_model) return;
  scaling_.factor = step_factor(one_, one_.options(), run_.schedule.initial, rows,
                                {run_.options.initial, run_.options.initial_state}, end_token());
  run_.schedule.initial = scaling_.of(run_.schedule.initial);
  run_.step_is_guess = run_.step_is_guess || of_model;
}

std::size_t run_planner::count_workers(std::optional<std::size_t> asked) {
  asked_ = asked.value_or(0);
  run_.workers_asked = asked_;
  return worker_count(asked);
}

std::size_t run_planner::count_threads(std::optional<std::size_t> asked, thread_team_kind team) {
  const std::size_t workers = count_workers(asked), most = grantable(team, workers);
  if (most < workers) {
    idle_reason_.push_back("OpenMP grants " + std::to_string(most) + (most == 1 ? " thread" : " threads") +
                           " where train() was called (within a parallel "
                           "region, or by OMP_THREAD_LIMIT); call it elsewhere, or take a std team");
  }
  return std::min(workers, most);
}

// Notes idle workers for every engine and every reason, but only if the user has asked for a number of workers.
void run_planner::note_idle_workers(std::size_t workers, const loop_plan& plan) const {
  const std::size_t train = plan.training_workers(workers);
  if (train >= asked_) return;
  std::string sentence = std::to_string(train) + " of the " + std::to_string(asked_) + " workers that were asked for " +
                         (train == 1 ? "trains" : "train");
  const std::string reasons = why_fewer(), sign = reasons.empty() ? ": " : "; ";
  if (!reasons.empty()) sentence += ": " + reasons;
  if (train < workers) sentence += sign + "there are no more than " + std::to_string(train) + " chunks of rows";
  note(sentence);
}

std::string run_planner::why_fewer() const {
  std::string reasons;
  for (const std::string& reason : idle_reason_) reasons += (reasons.empty() ? "" : "; ") + reason;
  return reasons;
}

void run_planner::require_step_of_epochs() const {
  require(!task_.facts().margin || run_.options.step.kind != schedule_kind::linear,
          "the schedule linear lowers the step within an epoch, which linear models with one margin a row do only "
          "under all_reduce: use that engine, or a geometric, inverse or cosine schedule");
}

std::size_t run_planner::decide_sharing(std::size_t workers, const sharing_surroundings& around) {
  require_step_of_epochs();
  limit_batch();
  const bool halves = around.storage == storage_kind::half;
  if (halves) require_halves(workers);
  const std::size_t training =
      run_.options.reproducible ? plan_virtual_workers(workers) : choose_among(workers, around);
  if (halves) loop_.halves = {task_.facts().halves, loop_.isa};
  return training;
}

combination run_planner::combined(trained_by by) const {
  const bool margin = task_.facts().margin;
  return {.sharing = run_.options.sharing,
          .update = loop_.update,
          .shards = loop_.shards,
          .margin = margin,
          .form = loop_.form,
          .reproducible = run_.options.reproducible,
          .fades = margin && !sums_up(loop_.optimizer),
          .by = by};
}

// Half storage applies to replicas; their cost is not known beforehand, only that they are asked for.
void run_planner::require_halves(std::size_t workers) {
  train_options& o = run_.options;
  require(task_.facts().halves > 0,
          "half storage needs a model of factors that kernels train: under sgd or adagrad, without l1, with nothing "
          "frozen but biases, and with batches of one row for factors by field; leave the storage at float");
  combination stored = combined(trained_by::workers);
  stored.storage = storage_kind::half;
  require_compatible(stored);
  require(workers > 1 || o.reproducible,
          "one worker trains the run's own parameters, which are float, and only replicas store factors in half: use "
          "more workers, or leave the storage at float");
  if (!o.reproducible) ask_for(sharing_kind::buffered);
}

// Plans that workers own blocks of ratings, if that is asked for or suits; returns whether they do.
bool run_planner::plan_in_blocks(std::size_t workers, const sharing_surroundings& around) {
  const sharing_kind asked = run_.options.sharing;
  const bool has_ownership = task_.facts().has_ownership && !around.others &&
                             (asked == sharing_kind::automatic || asked == sharing_kind::direct);
  const bool shall_own = loop_.ownership == ownership_kind::blocks ||
                         (loop_.ownership == ownership_kind::automatic && asked == sharing_kind::automatic &&
                          has_ownership && !run_.options.rounds);
  if (!shall_own) return false;
  require(has_ownership,
          "blocks of ratings can have owners only on one shared array: leave out the ownership, or the ring");
  const bool several = workers > 1;
  loop_.sharing = several ? access_kind::direct : access_kind::alone;
  loop_.exchange = {.workers = workers};
  loop_.ownership = ownership_kind::blocks;
  explain(several ? "workers own the users and items of the block of ratings that they train"
                  : "one worker has the parameters alone, block by block");
  return true;
}

std::size_t run_planner::choose_among(std::size_t workers, const sharing_surroundings& around) {
  sharing_kind asked = run_.options.sharing;
  const bool locked = loop_.update == update_kind::locked || is_exclusive(loop_.update);
  bool by_model = false;
  if (asked == sharing_kind::automatic && workers > 1 && !around.others && !locked) {
    // A user who asks for shared factors asks for Hogwild! as published.
    by_model = loop_.ownership != ownership_kind::shared;
    asked = by_model ? task_.facts().preferred_sharing : sharing_kind::direct;
  }
  if (plan_in_blocks(workers, around)) return workers;
  run_.tries_workers = by_model && asked == sharing_kind::direct && asked_ == 0 && loop_.shards == sharding::claimed;
  sharing_facts facts{.asked = asked,
                      .update = loop_.update,
                      .workers = workers,
                      .cpus = default_workers(allowed_cpus().size(), cpu_quota()),
                      .rows = task_.data().rows(),
                      .parameters = task_.facts().parameters,
                      .nonzeros = task_.data().nonzeros(),
                      .degree = task_.data().degree,
                      .arrays = 1 + state_arrays_of(loop_.optimizer),
                      .margin = task_.facts().margin,
                      .racing = task_.facts().racing_kernels,
                      .others = around.others,
                      .step = step(),
                      .batch = task_.smoothness() == 0.0 ? loop_.batch : 0};
  const bool depends_on_speed = (workers > 1 || around.others) && asked != sharing_kind::direct && !locked;
  double missed = 0.0;
  if (depends_on_speed || run_.speed) {
    const machine_speed speed =
        run_.speed ? *run_.speed
                   : machine_speed{.row_ns = measure_row(task_, loop_, end_token()), .lines = measure_lines()};
    facts.curvature = around.delay * curvature();
    facts.row_ns = speed.row_ns;
    facts.line_ns = speed.lines.exchange_ns;
    facts.shared_ns = speed.lines.shared_ns;
    facts.cache_bytes = level2_cache_bytes();
    missed = speed.lines.missed;
  }
  sharing_choice choice = choose_sharing(facts);
  if (const std::string doubt = doubt_about(facts, choice, missed); !doubt.empty())
    tell(run_.options, [&](observer& o) { tell_of_doubt(o, doubt); });
  if (locked && choice.kind == access_kind::alone)
    note("one worker has the parameters alone, so the update policy has no effect");
  loop_.sharing = choice.kind;
  loop_.exchange = choice.exchange;
  const bool known = choice.kind == access_kind::alone || !is_busy({.missed = missed});  // one alone shares no lines
  if (choice.epoch_ns > 0.0 && known) run_.predicted_epoch_seconds = choice.epoch_ns * 1e-9;
  if (run_.tries_workers)
    choice.reason = "by the model; in runs of many rounds, fewer workers train on if they prove faster";
  explain(std::move(choice.reason));
  if (!choice.idle.empty()) idle_reason_.push_back(choice.idle + "; with an explicit sharing all of them train");
  return choice.workers;
}

void run_planner::note(std::string_view sentence) const {
  tell(run_.options, [&](observer& o) { o.on_note(sentence); });
}

}  // namespace hogwild
