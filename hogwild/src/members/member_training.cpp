// SPDX-License-Identifier: Apache-2.0
#include "members/member_training.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include <hogwild/error.hpp>

namespace hogwild::detail {

namespace {

constexpr double still_trains = -1.0;

/// How a model has ended; nothing if it still trains. Throws input_error for a number that means neither.
std::optional<run_status> status_of(double ended) {
  if (ended == still_trains) return std::nullopt;
  for (const run_status known : {run_status::done, run_status::target, run_status::converged, run_status::no_progress,
                                 run_status::diverged, run_status::stopped})
    if (ended == static_cast<double>(known)) return known;
  throw input_error("the checkpoint does not tell how its models stand");
}

}  // namespace

/// A standing as plain numbers, for other ranks and for checkpoints.
struct member_training::standing_numbers {
  double loss, objective, reached, distance, start, last_good, ended;
};

member_training::member_training(const prepared_task& all, const several_plan& plan, thread_team& team,
                                 resolved_run& run, ranks_at_work& ranks)
    : all_(all),
      plan_(plan),
      options_(all.data.options()),
      team_(team),
      run_(run),
      ranks_(ranks),
      portions_{ranks.size(), plan.models},
      standings_(plan.models) {}

bool member_training::found_steps() const {
  return !ranks_.agreed().any(run_.end_token().stop_requested());
}

bool member_training::train(std::size_t epoch) {
  ranks_.together([&] { train_own(epoch); });
  // Some ranks may have finished the pass by then.
  const bool whole = !ranks_.stop().stop_requested();
  if (!whole) take_back_pass();
  return whole;
}

void member_training::begin() {
  begin_own();
  if (const checkpoint* const from = resumed())
    ranks_.together([&] {
      set_standings(from->get_vector<standing_numbers>("standings"));
      take_own(*from);
    });
}

step_schedule member_training::resumed_schedule() const {
  return resumed()->get<step_schedule>("schedule");
}

void member_training::put(checkpoint& file) const {
  file.put("schedule", run_.schedule);
  file.put_span<standing_numbers>("standings", numbers_of_standings());
  put_own(file);
}

bool member_training::conclude(std::size_t epoch, std::size_t trained) {
  bool whole = true;
  ranks_.together([&] { whole = measure_own(epoch, trained > 0); });
  whole = !ranks_.agreed().any(!whole);
  if (!whole) {
    take_back_pass();
    return false;
  }
  keep_pass();
  ranks_.together([&] { settle_own(epoch, trained); });
  tell_others();
  return true;
}

void member_training::end_rest() {
  for (std::size_t k = first(); k < behind(); ++k)
    if (!standings_[k].ended) end(k, run_status::done);
}

void member_training::end_all() {
  ranks_.together([this] { end_rest(); });
  tell_others();
}

std::vector<member_training::standing_numbers> member_training::numbers_of_standings() const {
  std::vector<standing_numbers> all;
  for (const standing& m : standings_)
    all.push_back({m.loss, m.objective, m.reached, m.distance, m.course.start, static_cast<double>(m.course.last_good),
                   m.ended ? static_cast<double>(*m.ended) : still_trains});
  return all;
}

void member_training::tell_others() {
  std::vector<standing_numbers> all = numbers_of_standings();
  ranks_.exchange(std::span(all), [this](std::size_t k) { return portions_.rank_of(k); });
  set_standings(all);
}

void member_training::set_standings(std::span<const standing_numbers> all) {
  if (all.size() != standings_.size()) throw input_error("the checkpoint has the state of other models");
  for (std::size_t k = 0; k < all.size(); ++k) {
    standing& m = standings_[k];
    m.loss = all[k].loss, m.objective = all[k].objective;
    m.reached = all[k].reached, m.distance = all[k].distance;
    m.course.start = all[k].start;
    m.course.last_good = static_cast<std::uint64_t>(all[k].last_good);
    m.ended = status_of(all[k].ended);
  }
}

std::optional<run_status> member_training::ended() const {
  const auto any = [&](const auto& is) { return std::ranges::any_of(standings_, is, &standing::ended); };
  if (any([](const auto& how) { return how == run_status::diverged; })) return run_status::diverged;
  if (any([](const auto& how) { return !how; })) return std::nullopt;
  return any([](const auto& how) { return how != run_status::converged; }) ? run_status::no_progress
                                                                           : run_status::converged;
}

std::optional<double> member_training::gap() const {
  double reached = 0.0, distance = 0.0;
  for (const standing& m : standings_) reached += m.reached, distance += std::max(0.0, m.distance);
  if (std::isnan(reached)) return std::nullopt;  // unknown for one of them
  return distance > 0.0 ? distance / std::abs(reached) : 0.0;
}

std::string member_training::told_of_divergence(std::size_t epoch) const {
  const auto worst = std::ranges::find(standings_, run_status::diverged, &standing::ended);
  if (worst == standings_.end()) return {};
  return "model " + std::to_string(worst - standings_.begin() + 1) + " of " + std::to_string(standings_.size()) + ": " +
         worst->course.told(epoch, worst->objective);
}

}  // namespace hogwild::detail
