// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/memory/param_store.hpp>

#include "members/members_side_by_side.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include <hogwild/detail/run/engine_run.hpp>
#include <hogwild/detail/run/run_training.hpp>
#include <hogwild/detail/run/step_search.hpp>
#include <hogwild/engines.hpp>

#include "members/member_rows.hpp"
#include "members/one_worker_store.hpp"

namespace hogwild::detail {

bool members_side_by_side::suits(const prepared_task& all, const several_plan& plan) {
  return plan.rows != member_rows_kind::shards && lane_run::suits(all);
}

members_side_by_side::members_side_by_side(const prepared_task& all, const several_plan& plan,
                                           std::span<const double> mean_counts, std::shared_ptr<any_engine> engine,
                                           thread_team& team, resolved_run& run, ranks_at_work& ranks)
    : all_(all),
      plan_(plan),
      options_(all.data.options()),
      run_(run),
      ranks_(ranks),
      team_(team),
      portions_{ranks.size(), plan.models},
      members_(plan.models) {
  for (std::size_t k = first(); k < behind(); ++k) members_[k].mean = mean_counts[k - first()];
  find_schedules(team);
  ranks_.together([&] { start_groups(std::move(engine), team); });
}

/// Finds the schedules as separate runs would.
void members_side_by_side::find_schedules(thread_team& team) {
  using clock = std::chrono::steady_clock;
  const auto begin = clock::now();
  const training_defaults& defaults = all_.data.defaults();
  const std::optional<double> given = options_.step.initial ? options_.step.initial : defaults.step;
  std::vector<double> initial(members_.size(), given.value_or(0.0));
  if (!given) {
    ranks_.together([&] {
      by_threads(team, behind() - first(), [&](std::size_t i) {
        const std::size_t k = first() + i;
        const member_rows own(all_.data, plan_, k);
        initial[k] = find_step(*plan_.prepare(own.rows(), own.options()).task, own.options().initial, run_.end_token());
      });
    });
    ranks_.exchange(std::span(initial), [this](std::size_t k) { return portions_.rank_of(k); });
    has_steps_ = !ranks_.agreed().any(run_.end_token().stop_requested());
    run_.search_seconds = std::chrono::duration<double>(clock::now() - begin).count();
  }
  run_.step_found = !given && has_steps_;
  for (std::size_t k = 0; k < members_.size(); ++k)
    members_[k].schedule = schedule_from(options_, defaults, all_.task->facts().convex, initial[k], !given);
}

/// All ranks use the plan for the largest step of all models, as one process would.
void members_side_by_side::start_groups(std::shared_ptr<any_engine> engine, thread_team& team) {
  double largest = 0.0;
  for (const member& m : members_) largest = std::max(largest, m.schedule.initial);
  std::vector<lane_settings> settings;
  for (std::size_t k = first(); k < behind(); ++k) {
    // A separate run divides weights by their mean; here the step is divided by it, and l1 and l2 are multiplied.
    settings.push_back({.l1 = options_.l1 * members_[k].mean,
                        .l2 = run_.l2 * members_[k].mean,
                        .rows = lane_rows_of(plan_, options_, k)});
  }
  const member_rows own(all_.data, plan_, 0);
  std::optional<prepared_task> tried;
  if (run_.step_found) tried.emplace(plan_.prepare(own.rows(), own.options()));
  groups_.emplace(all_, std::move(settings), largest, tried ? tried->task.get() : nullptr, std::move(engine),
                  plan_.own_models, team);
  for (member& m : members_)
    if (run_.step_found) m.schedule.initial = groups_->scaled_step(m.schedule.initial);
  run_.schedule = members_.front().schedule;
  run_.plan = groups_->plan();
  if (groups_->are_of_workers()) run_.sharing_reason = "each worker has models of its own";
}

void members_side_by_side::begin_falls() {
  ranks_.together([this] {
    const auto measured = groups_->measure();
    for (std::size_t k = first(); k < behind(); ++k) members_[k].fall = {measured[k - first()].loss};
  });
}

void members_side_by_side::begin_with_given() {
  for (std::size_t k = first(); k < behind() && !plan_.begin.empty(); ++k)
    groups_->begin_with(k - first(), beginning_of(plan_, k));
  if (!has_steps_) return;
  ranks_.together([this] {
    const auto measured = groups_->measure();
    for (std::size_t k = first(); k < behind(); ++k)
      members_[k].course.start = measured[k - first()].loss + measured[k - first()].penalty / members_[k].mean;
  });
}

bool members_side_by_side::train(std::size_t epoch) {
  std::vector<double> steps;
  for (std::size_t k = first(); k < behind(); ++k) steps.push_back(members_[k].step(epoch));
  ranks_.together([&] { groups_->train(epoch, steps, ranks_.stop()); });
  // Some ranks may have finished the pass by then.
  const bool whole = !ranks_.stop().stop_requested();
  whole ? groups_->keep_pass() : groups_->take_back_pass();
  return whole;
}

/// The facts about a model that ranks exchange.
struct member_state {
  double loss, objective, reached, distance, start, last_good, ended;
};

constexpr double still_trains = -1.0;

bool members_side_by_side::conclude(std::size_t epoch) {
  bool sound = true;
  ranks_.together([&] { sound = conclude_own(epoch); });
  return tell_others(sound);
}

/// Exchanges the states of models between ranks; returns whether the models of all ranks are sound.
bool members_side_by_side::tell_others(bool sound) {
  std::vector<member_state> states;
  for (const member& m : members_)
    states.push_back({m.loss, m.objective, m.reached, m.distance, m.course.start,
                      static_cast<double>(m.course.last_good), m.ended ? static_cast<double>(*m.ended) : still_trains});
  ranks_.exchange(std::span(states), [this](std::size_t k) { return portions_.rank_of(k); });
  for (std::size_t k = 0; k < members_.size(); ++k) {
    member& m = members_[k];
    m.loss = states[k].loss, m.objective = states[k].objective;
    m.reached = states[k].reached, m.distance = states[k].distance;
    m.course.start = states[k].start;
    m.course.last_good = static_cast<std::uint64_t>(states[k].last_good);
    if (states[k].ended != still_trains) m.ended = static_cast<run_status>(static_cast<int>(states[k].ended));
  }
  std::vector<double> diverged(ranks_.size());
  diverged[ranks_.rank()] = sound ? 0.0 : 1.0;
  ranks_.exchange(std::span(diverged), [](std::size_t rank) { return rank; });
  return std::ranges::count(diverged, 0.0) == std::ssize(diverged);
}

/// Bounds of the models that still train, on their own rows.
std::vector<std::optional<loss_bound>> members_side_by_side::bounds() const {
  std::vector<std::optional<loss_bound>> found(behind() - first());
  if (!by_distance(options_, all_.task->facts().convex)) return found;
  by_threads(team_, found.size(), [&](std::size_t i) {
    if (members_[first() + i].ended) return;
    const member_rows own(all_.data, plan_, first() + i);
    const auto alone = thread_team::make(thread_team_kind::std, 1, false);
    found[i] = plan_.prepare(own.rows(), own.options())
                   .task->bound(groups_->parameters(i), *alone, agreement(nullptr), ranks_.stop());
  });
  return found;
}

bool members_side_by_side::conclude_own(std::size_t epoch) {
  bool sound = true;
  train_options rules = options_;
  rules.target.reset();
  const auto measured = groups_->measure();
  const std::vector<std::optional<loss_bound>> bounded = bounds();
  for (std::size_t k = first(); k < behind(); ++k) {
    member& m = members_[k];
    if (m.ended) continue;
    const member_groups::measured& now = measured[k - first()];
    m.loss = now.loss;
    m.objective = m.loss + now.penalty / m.mean;
    epoch_report seen{.epoch = epoch, .train_loss = m.loss, .objective = m.objective, .validation = now.validation};
    if (const std::optional<loss_bound>& bound = bounded[k - first()]) {
      if (!m.optimum) m.optimum.emplace(options_.l1, run_.l2);
      m.optimum->take(*bound, team_);
      seen.objective = bound->loss + now.penalty / m.mean;
      if (m.optimum->tells()) seen.gap = m.optimum->gap(seen.objective);
    }
    const auto [ended, best] = m.rules.after(seen, m.fall, rules, all_.task->facts().convex, m.schedule);
    if (best) {
      m.best = groups_->parameters(k - first());
      m.best_loss = m.loss, m.best_objective = m.objective;
    }
    m.course.take(epoch, m.objective);
    if (seen.gap) m.reached = m.rules.best_objective, m.distance = m.reached - m.optimum->lowest();
    if (ended) end(k, *ended);
    sound = sound && m.ended != run_status::diverged;
  }
  return sound;
}

std::optional<run_status> members_side_by_side::ended() const {
  run_status all = run_status::converged;
  for (const member& m : members_) {
    if (!m.ended) return std::nullopt;
    if (m.ended != run_status::converged) all = run_status::no_progress;
  }
  return all;
}

std::optional<double> members_side_by_side::gap() const {
  double reached = 0.0, distance = 0.0;
  for (const member& m : members_) reached += m.reached, distance += std::max(0.0, m.distance);
  if (std::isnan(reached)) return std::nullopt;  // unknown for one of them
  return distance > 0.0 ? distance / std::abs(reached) : 0.0;
}

bool members_side_by_side::end_all() {
  bool sound = true;
  ranks_.together([&] {
    for (std::size_t k = first(); k < behind(); ++k) {
      if (!members_[k].ended) end(k, run_status::done);
      sound = sound && members_[k].ended != run_status::diverged;
    }
  });
  return tell_others(sound);
}

std::string members_side_by_side::told_of_divergence(std::size_t epoch) const {
  const auto worst = std::ranges::find(members_, run_status::diverged, &member::ended);
  if (worst == members_.end()) return {};
  return "model " + std::to_string(worst - members_.begin() + 1) + " of " + std::to_string(members_.size()) + ": " +
         worst->course.told(epoch, worst->objective);
}

/// Makes a separate task, since few runs need it.
double members_side_by_side::spread_of_losses_of(std::size_t k) const {
  const member_rows own(all_.data, plan_, k);
  const prepared_task made = plan_.prepare(own.rows(), own.options());
  const training_task& task = *made.task;
  const auto alone = store_with(task, members_[k].parameters);
  return spread_of_losses(task.data().rows(), [&](std::size_t r) {
    return task.evaluate(alone->store(), 1.0, task.data().slice(r, r + 1), alone->helpers(), false).loss;
  });
}

void members_side_by_side::end(std::size_t k, run_status how) {
  member& m = members_[k];
  if (m.best.empty()) {
    m.parameters = groups_->parameters(k - first());
  } else {
    m.parameters = std::move(m.best);
    m.loss = m.best_loss, m.objective = m.best_objective;
  }
  m.ended = how;
  groups_->clear(k - first());
  if (how != run_status::diverged && how != run_status::stopped && m.course.is_above(m.objective) &&
      m.course.ended_worse(m.objective, spread_of_losses_of(k)))
    m.ended = run_status::diverged;
}

std::vector<float> members_side_by_side::parameters(std::size_t k) const {
  return members_[k].ended ? members_[k].parameters : groups_->parameters(k - first());
}

}  // namespace hogwild::detail
