// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/memory/param_store.hpp>

#include "members/member_groups.hpp"

#include <algorithm>
#include <bitset>
#include <utility>

#include <hogwild/engines.hpp>

namespace hogwild::detail {

namespace {

std::size_t rounded_up(std::size_t of, std::size_t by) {
  return (of + by - 1) / by;
}

}  // namespace

member_groups::member_groups(const prepared_task& all, std::vector<lane_settings> of_models, double largest_step,
                             const training_task* tried, std::shared_ptr<any_engine> engine, bool may_own,
                             thread_team& team)
    : all_(all),
      settings_(std::move(of_models)),
      team_(team),
      own_(may_own &&
           (all.data.options().reproducible || (team.size() > 1 && settings_.size() >= least_lanes * team.size() &&
                                                all.data.options().sharing == sharing_kind::automatic))) {
  if (own_) engine = std::make_shared<engine_of<serial_engine>>(serial_engine{});
  train_options options = all.data.options();
  // A single worker repeats to the bit, whatever other models it trains.
  if (own_) options.reproducible = false;
  const auto note = [&o = all.data.options()](std::string_view sentence) {
    tell(o, [&](observer& each) { each.on_note(sentence); });
  };
  const std::shared_ptr<const training_task> alone(std::shared_ptr<const void>(), all.task.get());
  const std::size_t most = most_in_group(settings_.size());
  for (std::size_t first = 0; first < settings_.size();) {
    const std::size_t count = std::min(settings_.size() - first, most), lanes = lane_run::lanes_for(*alone, count);
    group& g = groups_.emplace_back(group{.first = first, .count = std::min(count, lanes)});
    g.run = groups_.size() == 1 ? std::make_unique<lane_run>(alone, options, lanes, largest_step, engine, tried, note)
                                : std::make_unique<lane_run>(alone, plan().options, lanes, engine, note);
    for (std::size_t k = 0; k < g.count; ++k) g.run->place(k, settings_[first + k]);
    first += g.count;
  }
}

void member_groups::begin_with(std::size_t model, std::span<const float> w) {
  const group& g = of(model);
  g.run->place(model - g.first, settings_[model], w);
}

void member_groups::go_on_with(std::size_t model, const lane_kept& from) {
  const group& g = of(model);
  g.run->place(model - g.first, settings_[model], from);
}

lane_kept member_groups::kept(std::size_t model) const {
  return of(model).run->kept(model - of(model).first);
}

/// The most models in a group: all lanes of a pass, or about equally many in each if workers have groups of their own.
std::size_t member_groups::most_in_group(std::size_t models) const {
  if (!own_) return most_lanes;
  const std::size_t workers = team_.size();
  const std::size_t lanes = lane_run::lanes_for(*all_.task, rounded_up(models, workers));
  return rounded_up(models, workers * rounded_up(models, workers * lanes));
}

template <class F>
void member_groups::for_groups(const F& f) {
  if (own_) return by_threads(team_, groups_.size(), f);
  for (std::size_t i = 0; i < groups_.size(); ++i) f(i);
}

void member_groups::train(std::size_t pass, std::span<const double> steps, const std::stop_token& stop) {
  before_.resize(stop.stop_possible() ? groups_.size() : 0);
  for_groups([&](std::size_t i) {
    const group& g = groups_[i];
    std::vector<double> of_lanes(g.run->lanes());
    std::ranges::copy(steps.subspan(g.first, g.count), of_lanes.begin());
    if (!before_.empty()) before_[i] = g.run->kept();
    bool any = false;
    for (std::size_t k = 0; k < g.count; ++k) any = any || g.run->trains(k);
    if (any) g.run->train(pass, of_lanes, stop, {});
  });
}

void member_groups::minimise_constants() {
  for_groups([&](std::size_t i) {
    std::bitset<most_lanes> trains;
    for (std::size_t k = 0; k < groups_[i].count; ++k) trains[k] = groups_[i].run->trains(k);
    groups_[i].run->minimise_constants(trains, {});
  });
}

void member_groups::take_back_pass() {
  for (std::size_t i = 0; i < before_.size(); ++i) groups_[i].run->go_back(before_[i]);
  before_.clear();
}

std::vector<member_groups::measured> member_groups::measure() {
  constexpr auto all_rows = lane_task::rows_of_lane::all;
  std::vector<measured> found(groups_.back().first + groups_.back().count);
  const std::optional<sparse_view>& held = all_.data.options().validation;
  for_groups([&](std::size_t i) {
    const group& g = groups_[i];
    const auto training = g.run->measure(all_.data.train(), all_rows, false);
    const std::vector<double> penalties = g.run->penalties();
    std::vector<measurement> validation;
    if (held) validation = g.run->measure(*held, all_rows, false);
    for (std::size_t k = 0; k < g.count; ++k) {
      found[g.first + k] = {.loss = training[k].loss, .penalty = penalties[k]};
      if (held) found[g.first + k].validation = validation[k];
    }
  });
  return found;
}

double member_groups::scaled_step(double found) const {
  return groups_.front().run->scaling().of(found);
}

const member_groups::group& member_groups::of(std::size_t model) const {
  return *std::prev(std::ranges::upper_bound(groups_, model, {}, &group::first));
}

std::vector<float> member_groups::parameters(std::size_t model) const {
  return of(model).run->parameters(model - of(model).first);
}

void member_groups::clear(std::size_t model) {
  of(model).run->clear(model - of(model).first);
}

epoch_report member_groups::counted() const {
  epoch_report sum;
  for (const group& g : groups_) {
    for (const worker_slot& slot : g.run->workers().store().slots()) {
      sum.examples += slot.rows.get();
      sum.updates += slot.updates.get();
      sum.nonzeros += slot.nonzeros.get();
    }
  }
  return sum;
}

void member_groups::tell_of_workers(train_result& result) const {
  for (const group& g : groups_) {
    const engine_run& by = g.run->workers();
    result.workers_replaced += by.replaced();
    result.rows_lost += by.rows_lost();
    if (const auto of = by.ring()) {
      if (!result.ring) {
        result.ring = of;
        continue;
      }
      result.ring->exchanges += of->exchanges, result.ring->bytes += of->bytes;
      result.ring->held_seconds += of->held_seconds;
      result.ring->waits += of->waits, result.ring->taken_over += of->taken_over;
    }
    if (const auto of = by.meetings()) {
      if (!result.meetings) {
        result.meetings = of;
        continue;
      }
      result.meetings->dense += of->dense, result.meetings->sparse += of->sparse;
      result.meetings->bytes += of->bytes, result.meetings->seconds += of->seconds;
    }
  }
}

std::string_view member_groups::engine() const {
  return own_ && team_.size() > 1 ? "threads" : groups_.front().run->workers().engine();
}

std::size_t member_groups::workers() const {
  return own_ ? team_.size() : plan().training_workers(groups_.front().run->workers().workers());
}

}  // namespace hogwild::detail
