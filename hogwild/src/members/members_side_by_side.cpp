// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/memory/param_store.hpp>

#include "members/members_side_by_side.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include <hogwild/detail/run/engine_run.hpp>
#include <hogwild/detail/run/run_training.hpp>
#include <hogwild/detail/run/step_search.hpp>
#include <hogwild/engines.hpp>

#include "members/member_parameters.hpp"
#include "members/member_rows.hpp"

namespace hogwild::detail {

namespace {

constexpr const char *first_steps_section = "first steps", *step_found_section = "step found";

}  // namespace

bool members_side_by_side::suits(const prepared_task& all, const several_plan& plan) {
  return plan.rows != member_rows_kind::shards && lane_run::suits(all);
}

members_side_by_side::members_side_by_side(const prepared_task& all, const several_plan& plan,
                                           std::span<const double> mean_counts, std::shared_ptr<any_engine> engine,
                                           thread_team& team, resolved_run& run, ranks_at_work& ranks)
    : member_training(all, plan, team, run, ranks), members_(plan.models) {
  for (std::size_t k = first(); k < behind(); ++k) members_[k].mean = mean_counts[k - first()];
  find_schedules();
  ranks_.together([&] { start_groups(std::move(engine)); });
}

/// Finds the schedules as separate runs would.
void members_side_by_side::find_schedules() {
  using clock = std::chrono::steady_clock;
  const auto begin = clock::now();
  const training_defaults& defaults = all_.data.defaults();
  const std::optional<double> given = options_.step.initial ? options_.step.initial : defaults.step;
  std::vector<double> initial(members_.size(), given.value_or(0.0));
  std::uint64_t was_found = 0;
  if (const checkpoint* const from = resumed()) {
    ranks_.together([&] {
      from->get_into<double>(first_steps_section, initial);
      was_found = from->get<std::uint64_t>(step_found_section);
      before_ = from->get<counts>("counts");
    });
  } else if (!given) {
    ranks_.together([&] {
      by_threads(team_, behind() - first(), [&](std::size_t i) {
        const std::size_t k = first() + i;
        const member_rows own(all_.data, plan_, k);
        initial[k] =
            find_step(*plan_.prepare(own.rows(), own.options()).task, {own.options().initial}, run_.end_token());
      });
    });
    ranks_.exchange(std::span(initial), [this](std::size_t k) { return portions_.rank_of(k); });
    has_steps_ = found_steps();
    run_.search_seconds = std::chrono::duration<double>(clock::now() - begin).count();
  }
  run_.step_found = resumed() ? was_found != 0 : !given && has_steps_;
  for (std::size_t k = 0; k < members_.size(); ++k) {
    members_[k].first_step = initial[k];
    members_[k].progress.schedule = schedule_from(options_, defaults, all_.task->facts().convex, initial[k], !given);
  }
}

/// All ranks use the plan for the largest step of all models, as one process would.
void members_side_by_side::start_groups(std::shared_ptr<any_engine> engine) {
  double largest = 0.0;
  for (const member& m : members_) largest = std::max(largest, m.progress.schedule.initial);
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
                  plan_.own_models, team_);
  for (member& m : members_)
    if (run_.step_found) m.progress.schedule.initial = groups_->scaled_step(m.progress.schedule.initial);
  run_.schedule = resumed() ? resumed_schedule() : members_.front().progress.schedule;
  run_.plan = groups_->plan();
  if (groups_->are_of_workers()) run_.sharing_reason = "each worker has models of its own";
}

void members_side_by_side::begin_falls() {
  ranks_.together([this] {
    const auto measured = groups_->measure();
    for (std::size_t k = first(); k < behind(); ++k) members_[k].progress.fall = {measured[k - first()].loss};
  });
}

void members_side_by_side::begin_own() {
  if (resumed() != nullptr) return;
  const bool counts_falls = by_progress(options_, all_.task->facts().convex);
  if (counts_falls && has_steps_ && !ranks_.stop().stop_requested()) begin_falls();
  for (std::size_t k = first(); k < behind() && !plan_.begin.empty(); ++k)
    groups_->begin_with(k - first(), beginning_of(plan_, k));
  if (!has_steps_) return;
  ranks_.together([this] {
    const auto measured = groups_->measure();
    for (std::size_t k = first(); k < behind(); ++k)
      standings_[k].course.start = measured[k - first()].loss + measured[k - first()].penalty / members_[k].mean;
  });
}

/// What a checkpoint has of a model besides its arrays.
struct members_side_by_side::member_numbers {
  double scale = 1.0;
  step_schedule schedule{};
  stop_rules rules{};
  objective_fall fall{};
  double best_loss = unknown, best_objective = unknown;
  std::uint64_t has_best = 0, of_optimum = 0;  ///< how many numbers optimum_bound::state() has
};

void members_side_by_side::put_own(checkpoint& file) const {
  joined<double> first_steps, optima;
  joined<member_numbers> numbers;
  joined<float> parameters, states, bests;
  for (const member& m : members_) first_steps.add(std::array{m.first_step});
  for (std::size_t k = first(); k < behind(); ++k) {
    const member& m = members_[k];
    if (standings_[k].ended) {
      parameters.add(m.parameters);
      continue;
    }
    const lane_kept kept = groups_->kept(k - first());
    parameters.add(kept.stored);
    states.add(kept.state);
    bests.add(m.best);
    const std::vector<double> optimum = m.progress.optimum ? m.progress.optimum->state() : std::vector<double>();
    optima.add(optimum);
    numbers.add(std::array{member_numbers{kept.scale, m.progress.schedule, m.progress.rules, m.progress.fall,
                                          m.best_loss, m.best_objective, m.best.empty() ? 0u : 1u, optimum.size()}});
  }
  file.put(step_found_section, std::uint64_t{run_.step_found});
  file.put("counts", counts::of(counted()));
  first_steps.put(file, first_steps_section), numbers.put(file, "numbers"), optima.put(file, "optima");
  parameters.put(file, "parameters"), states.put(file, "states"), bests.put(file, "bests");
}

void members_side_by_side::take_own(const checkpoint& file) {
  joined<double> optima(file, "optima");
  joined<member_numbers> numbers(file, "numbers");
  joined<float> parameters(file, "parameters"), states(file, "states"), bests(file, "bests");
  const std::size_t each = all_.task->facts().parameters;
  for (std::size_t k = first(); k < behind(); ++k) {
    member& m = members_[k];
    if (standings_[k].ended) {
      m.parameters = parameters.next(each);
      groups_->clear(k - first());
      continue;
    }
    const member_numbers of = numbers.next(1).front();
    const std::size_t of_state = groups_->kept(k - first()).state.size();
    groups_->go_on_with(k - first(), {parameters.next(each), of.scale, states.next(of_state)});
    m.progress.schedule = of.schedule, m.progress.rules = of.rules, m.progress.fall = of.fall;
    if (of.of_optimum > 0) m.progress.optimum.emplace(options_.l1, run_.l2).go_on(optima.next(of.of_optimum));
    if (of.has_best != 0) m.best = bests.next(each);
    m.best_loss = of.best_loss, m.best_objective = of.best_objective;
  }
}

bool members_side_by_side::have_broken_down() const {
  for (std::size_t k = first(); k < behind(); ++k)
    if (!standings_[k].ended &&
        !std::ranges::all_of(groups_->parameters(k - first()), [](float x) { return std::isfinite(x); }))
      return true;
  return false;
}

epoch_report members_side_by_side::counted() const {
  epoch_report sum = groups_->counted();
  before_.add_to(sum);
  return sum;
}

void members_side_by_side::train_own(std::size_t epoch) {
  std::vector<double> steps;
  for (std::size_t k = first(); k < behind(); ++k) steps.push_back(members_[k].step(epoch));
  groups_->train(epoch, steps, ranks_.stop());
}

/// Bounds of the models that still train, on their own rows.
std::vector<std::optional<loss_bound>> members_side_by_side::bounds() const {
  std::vector<std::optional<loss_bound>> found(behind() - first());
  if (!by_distance(options_, all_.task->facts().convex)) return found;
  by_threads(team_, found.size(), [&](std::size_t i) {
    if (standings_[first() + i].ended) return;
    const member_rows own(all_.data, plan_, first() + i);
    const auto alone = thread_team::make(thread_team_kind::std, 1, false);
    found[i] = plan_.prepare(own.rows(), own.options())
                   .task->bound(groups_->parameters(i), *alone, agreement(nullptr), ranks_.stop());
  });
  return found;
}

void members_side_by_side::settle_own(std::size_t epoch, std::size_t trained) {
  if (trained == 0) return;
  groups_->minimise_constants();
  train_options rules = options_;
  rules.target.reset();
  const auto measured = groups_->measure();
  const std::vector<std::optional<loss_bound>> bounded = bounds();
  for (std::size_t k = first(); k < behind(); ++k) {
    standing& now = standings_[k];
    if (now.ended) continue;
    member& m = members_[k];
    const member_groups::measured& of = measured[k - first()];
    now.loss = of.loss;
    now.objective = now.loss + of.penalty / m.mean;
    const auto [ended, best] =
        m.progress.after({.epoch = epoch, .train_loss = now.loss, .validation = of.validation}, of.penalty / m.mean,
                         bounded[k - first()], options_.l1, run_.l2, team_, rules, all_.task->facts().convex, trained);
    if (best) {
      m.best = groups_->parameters(k - first());
      m.best_loss = now.loss, m.best_objective = now.objective;
    }
    now.course.take(epoch, now.objective);
    if (const auto& optimum = m.progress.optimum; optimum && optimum->tells()) {
      now.reached = m.progress.rules.best_objective;
      now.distance = now.reached - optimum->lowest();
    }
    if (ended) end(k, *ended);
  }
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
  standing& now = standings_[k];
  if (m.best.empty()) {
    m.parameters = groups_->parameters(k - first());
  } else {
    m.parameters = std::move(m.best);
    now.loss = m.best_loss, now.objective = m.best_objective;
  }
  now.ended = how;
  groups_->clear(k - first());
  const auto is_worse = [&] {
    return now.course.is_above(now.objective) && now.course.ended_worse(now.objective, spread_of_losses_of(k));
  };
  if (!std::isfinite(now.objective) || is_worse()) now.ended = run_status::diverged;
}

std::vector<float> members_side_by_side::parameters(std::size_t k) const {
  return standings_[k].ended ? members_[k].parameters : groups_->parameters(k - first());
}

}  // namespace hogwild::detail
