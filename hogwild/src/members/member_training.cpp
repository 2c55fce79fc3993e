// SPDX-License-Identifier: Apache-2.0
#include "members/member_training.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace hogwild::detail {

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

bool member_training::conclude(std::size_t epoch) {
  bool whole = true;
  ranks_.together([&] { whole = measure_own(epoch); });
  whole = !ranks_.agreed().any(!whole);
  if (!whole) {
    take_back_pass();
    return false;
  }
  keep_pass();
  ranks_.together([&] { settle_own(epoch); });
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

void member_training::tell_others() {
  struct numbers {
    double loss, objective, reached, distance, start, last_good, ended;
  };
  constexpr double still_trains = -1.0;
  std::vector<numbers> all;
  for (const standing& m : standings_)
    all.push_back({m.loss, m.objective, m.reached, m.distance, m.course.start, static_cast<double>(m.course.last_good),
                   m.ended ? static_cast<double>(*m.ended) : still_trains});
  ranks_.exchange(std::span(all), [this](std::size_t k) { return portions_.rank_of(k); });
  for (std::size_t k = 0; k < all.size(); ++k) {
    standing& m = standings_[k];
    m.loss = all[k].loss, m.objective = all[k].objective;
    m.reached = all[k].reached, m.distance = all[k].distance;
    m.course.start = all[k].start;
    m.course.last_good = static_cast<std::uint64_t>(all[k].last_good);
    if (all[k].ended != still_trains) m.ended = static_cast<run_status>(static_cast<int>(all[k].ended));
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
