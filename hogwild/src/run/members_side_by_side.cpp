// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/memory/param_store.hpp>

#include "run/members_side_by_side.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include <hogwild/detail/run/run_training.hpp>
#include <hogwild/detail/run/step_search.hpp>

#include "run/member_rows.hpp"

namespace hogwild::detail {

bool members_side_by_side::suits(const prepared_task& all, const several_plan& plan) {
  return plan.rows != member_rows_kind::shards && lane_run::suits(all);
}

members_side_by_side::members_side_by_side(const prepared_task& all, const several_plan& plan,
                                           std::span<const double> mean_counts, std::shared_ptr<any_engine> engine,
                                           thread_team& team, resolved_run& run)
    : all_(all), plan_(plan), options_(all.data.options()), run_(run), members_(plan.models) {
  for (std::size_t k = 0; k < members_.size(); ++k) members_[k].mean = mean_counts[k];
  find_schedules(team);
  start_groups(std::move(engine), team);
}

/// As a run of its own finds it.
void members_side_by_side::find_schedules(thread_team& team) {
  using clock = std::chrono::steady_clock;
  const auto begin = clock::now();
  const training_defaults& defaults = all_.data.defaults();
  const std::optional<double> given = options_.step.initial ? options_.step.initial : defaults.step;
  run_.step_found = !given;
  by_threads(team, members_.size(), [&](std::size_t k) {
    double initial = given.value_or(0.0);
    if (!given) {
      const member_rows own(all_.data, plan_, k);
      initial = find_step(*plan_.prepare(own.rows(), own.options()).task, own.options().initial, options_.stop);
    }
    members_[k].schedule = schedule_from(options_, defaults, initial, !given);
  });
  if (!given) run_.search_seconds = std::chrono::duration<double>(clock::now() - begin).count();
}

void members_side_by_side::start_groups(std::shared_ptr<any_engine> engine, thread_team& team) {
  double largest = 0.0;
  std::vector<lane_settings> settings;
  for (std::size_t k = 0; k < members_.size(); ++k) {
    largest = std::max(largest, members_[k].schedule.initial);
    // A run of its own has weights over their mean, so that this divides the step and multiplies l1 and l2.
    settings.push_back({.l1 = options_.l1 * members_[k].mean,
                        .l2 = run_.l2 * members_[k].mean,
                        .rows = lane_rows_of(plan_, options_, k)});
  }
  groups_.emplace(all_, std::move(settings), largest, run_.step_found, std::move(engine), plan_.own_models, team);
  for (member& m : members_)
    if (run_.step_found) m.schedule.initial = groups_->scaled_step(m.schedule.initial);
  run_.schedule = members_.front().schedule;
  run_.plan = groups_->plan();
  if (groups_->are_of_workers()) run_.sharing_reason = "each worker has models of its own";
}

void members_side_by_side::begin_falls() {
  const auto measured = groups_->measure();
  for (std::size_t k = 0; k < members_.size(); ++k) members_[k].fall = {measured[k].loss};
}

void members_side_by_side::begin_with_given() {
  if (plan_.begin.empty()) return;
  for (std::size_t k = 0; k < members_.size(); ++k) groups_->begin_with(k, beginning_of(plan_, k));
}

bool members_side_by_side::train(std::size_t epoch) {
  std::vector<double> steps;
  for (const member& m : members_) steps.push_back(m.schedule.at(epoch) / m.mean);
  return groups_->train(epoch, steps, options_.stop);
}

bool members_side_by_side::conclude(std::size_t epoch) {
  bool sound = true;
  train_options rules = options_;
  rules.target.reset();
  const auto measured = groups_->measure();
  for (std::size_t k = 0; k < members_.size(); ++k) {
    member& m = members_[k];
    if (!groups_->trains(k)) continue;
    m.loss = measured[k].loss;
    m.objective = m.loss + measured[k].penalty / m.mean;
    const epoch_report seen{
        .epoch = epoch, .train_loss = m.loss, .objective = m.objective, .validation = measured[k].validation};
    bool better = false;
    const auto ended = m.rules.after(seen, m.fall, rules, better);
    if (better) {
      m.best = groups_->parameters(k);
      m.best_loss = m.loss, m.best_objective = m.objective;
    }
    sound = sound && ended != run_status::diverged;
    if (ended) end(k);
  }
  return sound;
}

bool members_side_by_side::all_have_ended() const {
  return std::ranges::all_of(members_, [](const member& m) { return !m.parameters.empty(); });
}

void members_side_by_side::end_all() {
  for (std::size_t k = 0; k < members_.size(); ++k)
    if (groups_->trains(k)) end(k);
}

void members_side_by_side::end(std::size_t k) {
  member& m = members_[k];
  if (m.best.empty()) {
    m.parameters = groups_->parameters(k);
  } else {
    m.parameters = std::move(m.best);
    m.loss = m.best_loss, m.objective = m.best_objective;
  }
  groups_->clear(k);
}

std::vector<float> members_side_by_side::parameters(std::size_t k) const {
  return groups_->trains(k) ? groups_->parameters(k) : members_[k].parameters;
}

}  // namespace hogwild::detail
